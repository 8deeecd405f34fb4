// Antedate's one script. The pages are whole without it; it copies, marks, and keeps the page of a running claim fresh.

const LIVE = "[data-live]";
const SLOWEST = 30_000;

function announce(words) {
  document.querySelector("[data-announce]").textContent = words;
}

function showCopyButtons(root) {
  if (!navigator.clipboard) return; // clipboards exist in secure contexts alone: no button that would do nothing
  for (const button of root.querySelectorAll("[data-copy][hidden]")) button.hidden = false;
}

// A component chosen by name is marked wherever the hint of a mark begins with it.
function showMarks(root) {
  for (const choice of root.querySelectorAll("[data-mark][hidden]")) choice.hidden = false;
}

function mark(choice) {
  const hint = `${choice.value}:`;
  for (const title of choice.closest("section").querySelectorAll(".chart title"))
    title.parentNode.classList.toggle("marked", choice.value !== "" && title.textContent.startsWith(hint));
}

async function copy(button) {
  await navigator.clipboard.writeText(button.dataset.copy);
  const face = button.firstElementChild;
  const said = face.textContent;
  face.textContent = "copied";
  announce("Copied.");
  setTimeout(() => (face.textContent = said), 1500);
}

function enhance(root) {
  showCopyButtons(root);
  showMarks(root);
}

async function fetched() {
  const answer = await fetch(location.pathname, { headers: { Accept: "text/html" }, cache: "no-store", signal: AbortSignal.timeout(10_000) });
  if (!answer.ok) throw new Error(`the page answered ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

// Only what differs is replaced, section by section, so that reading and focus are disturbed as little as possible.
function freshen(before, after) {
  const [old, fresh] = [[...before.children], [...after.children]];
  if (old.length !== fresh.length) return before.replaceChildren(...after.children);
  old.forEach((part, index) => {
    if (part.outerHTML !== fresh[index].outerHTML) part.replaceWith(fresh[index]);
  });
}

async function follow(delay) {
  const live = document.querySelector(LIVE);
  if (!live) return;
  await new Promise((resolve) => setTimeout(resolve, delay));
  const usual = Number(live.dataset.live);
  if (document.hidden) return follow(usual);
  try {
    const page = await fetched();
    const article = page.querySelector("main > *");
    enhance(article); // as it is here, so that like is compared with like
    freshen(live, article);
    if (!page.querySelector(LIVE)) {
      live.removeAttribute("data-live");
      document.title = page.title;
      announce(live.querySelector(".verdict")?.textContent.trim().replace(/\s+/g, " ") ?? page.title);
    }
  } catch {
    return follow(Math.min(delay * 2, SLOWEST)); // the service restarts, a laptop sleeps: try again, more slowly
  }
  return follow(usual);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (button) copy(button);
});
document.addEventListener("change", (event) => {
  if (event.target.closest?.("[data-mark]")) mark(event.target);
});
enhance(document);
follow(Number(document.querySelector(LIVE)?.dataset.live ?? 0));
