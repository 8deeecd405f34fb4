"""A timestamp authority of one's own (RFC 3161), with a root certificate."""

import hashlib
from datetime import UTC, datetime

from asn1crypto import algos, cms, core, tsp
from asn1crypto import x509 as asn1
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

POLICY = "1.3.6.1.4.1.13762.3"
SHA256 = algos.DigestAlgorithm({"algorithm": "sha256"})
VALID = datetime(2020, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)  # tests of set times hold on any day


class Refusal(core.Sequence):
    """A response without a token, which `tsp.TimeStampResp` cannot be."""

    _fields = [("status", tsp.PKIStatusInfo)]  # noqa: RUF012 - asn1crypto's way


def named(name):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def certificate(subject, key, issuer, signer, *, purpose=None):
    start, end = VALID
    builder = (
        x509.CertificateBuilder()
        .subject_name(named(subject))
        .issuer_name(named(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca=purpose is None, path_length=None), critical=True)
    )
    if purpose is not None:
        builder = builder.add_extension(x509.ExtendedKeyUsage([purpose]), critical=True)
    return builder.sign(signer, hashes.SHA256())


class OwnAuthority:
    """Answers timestamp requests. `root` is its trusted certificate in PEM form."""

    def __init__(self, *, purpose=ExtendedKeyUsageOID.TIME_STAMPING):
        root_key, self._key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        root = certificate("Own root", root_key, "Own root", root_key)
        self._certificate = certificate("Own authority", self._key, "Own root", root_key, purpose=purpose)
        self.root = root.public_bytes(Encoding.PEM)

    def answer(self, request, *, time=None, status="granted", says=None, **changed):
        """The response to DER of a request; `changed` are members of the token (TSTInfo) to put otherwise."""
        stated = {"status": status} | ({} if says is None else {"status_string": [says]})
        if status not in {"granted", "granted_with_mods"}:
            return Refusal({"status": stated}).dump()
        asked = tsp.TimeStampReq.load(request)
        info = {
            "version": "v1",
            "policy": POLICY,
            "message_imprint": asked["message_imprint"],
            "serial_number": 7,
            "gen_time": (time or datetime.now(UTC)).replace(microsecond=0),
            "nonce": asked["nonce"],
            **changed,
        }
        token = self._signed(tsp.TSTInfo({name: value for name, value in info.items() if value is not None}))
        return tsp.TimeStampResp({"status": stated, "time_stamp_token": token}).dump()

    def _signed(self, info):
        der = self._certificate.public_bytes(Encoding.DER)
        own = asn1.Certificate.load(der)
        attributes = cms.CMSAttributes(
            [
                cms.CMSAttribute({"type": "content_type", "values": ["tst_info"]}),
                cms.CMSAttribute({"type": "message_digest", "values": [hashlib.sha256(info.dump()).digest()]}),
                cms.CMSAttribute(
                    {
                        "type": "signing_certificate_v2",
                        "values": [tsp.SigningCertificateV2({"certs": [{"cert_hash": hashlib.sha256(der).digest()}]})],
                    }
                ),
            ]
        )
        signer = cms.SignerInfo(
            {
                "version": "v1",
                "sid": cms.SignerIdentifier(
                    {
                        "issuer_and_serial_number": {"issuer": own.issuer, "serial_number": own.serial_number},
                    }
                ),
                "digest_algorithm": SHA256,
                "signed_attrs": attributes,
                "signature_algorithm": algos.SignedDigestAlgorithm({"algorithm": "sha256_ecdsa"}),
                "signature": self._key.sign(attributes.dump(), ec.ECDSA(hashes.SHA256())),
            }
        )
        content = cms.SignedData(
            {
                "version": "v3",
                "digest_algorithms": [SHA256],
                "encap_content_info": {
                    "content_type": "tst_info",
                    "content": core.ParsableOctetString(info.dump()),
                },
                "certificates": [own],
                "signer_infos": [signer],
            }
        )
        return cms.ContentInfo({"content_type": "signed_data", "content": content})
