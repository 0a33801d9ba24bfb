"use strict";

// What an app page does. The page of a site says what is particular to that, as
// site: the selectors of its box, its send button, its thread and, on its answer
// page, its conversation; what that page is asked with besides the prompt; and,
// where the site has one, its stream, as a request and the text in a line.

const decoded = (response) => response.body.pipeThrough(new TextDecoderStream());

async function ask(address, request) {
  const response = await fetch(address, request);
  if (response.headers.has("Lab-Spin")) {
    for (;;);
  }
  if (!response.ok) {
    throw new Error(`The lab answers ${response.status}.`);
  }
  return response;
}

const isPage = (response) => response.headers.get("Content-Type").startsWith("text/html");

// eventData is what an event stream's line tells.
function eventData(line) {
  const start = "data: ";
  return line.startsWith(start + "{") ? JSON.parse(line.slice(start.length)) : {};
}

// showText shows the text of a stream while that arrives.
async function showText(response, thread) {
  let torn = "";
  for await (const piece of decoded(response)) {
    const lines = (torn + piece).split("\n");
    torn = lines.pop();
    thread.append(...lines.map(site.stream.text));
  }
}

// showPage shows the conversation on an answer page while that arrives: a parser
// goes on filling an element that was moved elsewhere. A page without one, such
// as a challenge, is shown in the place of the app once it is whole.
async function showPage(response, thread) {
  const page = document.implementation.createHTMLDocument();
  page.open();
  let conversation = null;
  for await (const piece of decoded(response)) {
    page.write(piece);
    if (!conversation && (conversation = page.querySelector(site.conversation))) {
      thread.replaceChildren(conversation);
    }
  }
  page.close();
  if (!conversation) {
    document.documentElement.replaceWith(page.documentElement);
  }
}

async function answer(prompt) {
  const thread = document.querySelector(site.thread);
  try {
    if (site.stream) {
      const response = await ask(site.stream.path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(site.stream.question(prompt)),
      });
      if (isPage(response)) {
        return await showPage(response, thread);
      }
      await showText(response, thread);
    }
    await showPage(await ask("?" + new URLSearchParams({ ...site.query, q: prompt })), thread);
  } catch (error) {
    const alert = document.createElement("p");
    alert.setAttribute("role", "alert");
    alert.textContent = error.message;
    thread.append(alert);
  }
}

function start() {
  document.querySelectorAll("script").forEach((script) => script.remove());
  const app = document.querySelector("template");
  app.replaceWith(app.content);
  const box = document.querySelector(site.box);
  const send = document.querySelector(site.send);
  const typed = () => (box.matches("textarea") ? box.value : box.innerText).trim();
  box.addEventListener("input", () => {
    send.disabled = typed() === "";
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send.click();
    }
  });
  send.form.addEventListener("submit", (event) => {
    event.preventDefault();
    const prompt = typed();
    box.replaceChildren();
    box.value = "";
    send.disabled = true;
    answer(prompt);
  });
}

start();
