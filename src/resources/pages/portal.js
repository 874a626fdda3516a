// Enhances pages that are complete without it: shows passwords, copies, prints, links to passkeys, counts down, local times.
'use strict';

/** Runs `enhance` for each element with the attribute, with the value of the attribute. */
function each(attribute, enhance) {
  for (const element of document.querySelectorAll(`[${attribute}]`)) enhance(element, element.getAttribute(attribute));
}

// This page answers a form. "Back" and a reload would send the form again, and the browser would ask about that without end.
const address = document.querySelector('meta[name=page-address]');
if (address) window.history.replaceState(null, '', address.content);

each('data-show-password', (button, id) => {
  const field = document.getElementById(id);
  button.hidden = false;
  button.addEventListener('click', () => {
    const isHidden = field.type === 'password';
    field.type = isHidden ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(isHidden));
    button.textContent = isHidden ? button.dataset.hide : button.dataset.show;
  });
  // Browsers must not remember it as a plain text.
  field.form.addEventListener('submit', () => {
    field.type = 'password';
  });
});

each('data-copy', (button, id) => {
  if (!navigator.clipboard) return;
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(id).dataset.text);
    button.textContent = button.dataset.done;
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });
});

each('data-print', (button) => {
  button.hidden = false;
  button.addEventListener('click', () => window.print());
});

// Six digits are complete: the form is sent, once. An input method may still be composing them.
each('data-sends', (hint, id) => {
  const field = document.getElementById(id);
  let isSent = false;
  const send = (event) => {
    if (isSent || event.isComposing || !/^[0-9\uff10-\uff19]{6}$/.test(field.value.replace(/[\s-]/g, ''))) return;
    isSent = true;
    field.form.requestSubmit();
  };
  hint.hidden = false;
  field.addEventListener('input', send);
  field.addEventListener('compositionend', send);
});

each('data-with-passkeys', (element) => {
  element.hidden = !(window.PublicKeyCredential && navigator.credentials);
});

// The wait counts from the response, whatever the clock of this device shows.
each('data-wait', (element, seconds) => {
  const end = performance.now() + Number(seconds) * 1000;
  const link = document.getElementById(element.dataset.then);
  const show = () => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    const [minutes, rest] = [Math.floor(left / 60), left % 60];
    element.textContent = `${minutes}:${String(rest).padStart(2, '0')}`;
    if (left > 0) setTimeout(show, 250);
    else if (link) link.hidden = false;
  };
  if (link) link.hidden = true;
  element.hidden = false;
  show();
});

each('data-local', (element) => {
  const options = { dateStyle: 'medium', timeStyle: 'short' };
  element.textContent = new Date(element.dateTime).toLocaleString(document.documentElement.lang, options);
});

each('data-zone', (element) => {
  element[element.matches('input') ? 'value' : 'textContent'] = Intl.DateTimeFormat().resolvedOptions().timeZone;
});

// A second press would send the form again.
for (const form of document.forms) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
    setTimeout(() => delete form.dataset.sent, 5000);
    // The service sends its response when it is this sign-in's turn.
    const waiting = form.querySelector('[data-waiting]');
    if (waiting) setTimeout(() => (waiting.hidden = !form.dataset.sent), 1500);
  });
}
window.addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
  each('data-waiting', (element) => (element.hidden = true));
});
