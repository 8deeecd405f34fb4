# One image for every part; EXTRAS=worker adds torch and transformers, which the service itself never loads.
FROM python:3.11-slim

RUN useradd --system --uid 10001 --create-home antedate
WORKDIR /srv/antedate

COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY app app
COPY claims claims
COPY migrations migrations
COPY workers workers

ARG EXTRAS=""
RUN pip install --no-cache-dir --constraint requirements.lock ".${EXTRAS:+[$EXTRAS]}"

# An image has no git, so what it was built from is said here or not at all.
ARG COMMIT
ARG DIRTY
RUN test -n "$COMMIT" && test -n "$DIRTY" || { echo "build with --build-arg COMMIT=<40 hex> --build-arg DIRTY=clean|dirty" >&2; exit 1; }
ENV ANTEDATE_COMMIT=$COMMIT ANTEDATE_DIRTY=$DIRTY OMP_WAIT_POLICY=PASSIVE PYTHONUNBUFFERED=1

# A named volume takes its owner from here.
RUN install -d -o antedate -g antedate -m 0700 /var/lib/antedate
USER antedate
EXPOSE 8000
