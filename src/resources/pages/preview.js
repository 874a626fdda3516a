// Shows the response to a form in place, so that a chosen file stays chosen for the next button.
'use strict';

for (const button of document.querySelectorAll('[data-show-in]')) {
  const { form } = button;
  const { showIn: id } = button.dataset;
  const input = form.querySelector('input[type=file]');
  form.addEventListener('submit', async (event) => {
    // portal.js prevents the default of a second press.
    if (event.submitter !== button || event.defaultPrevented) return;
    event.preventDefault();
    const [file] = input.files;
    const part = await partOf(button.formAction, new FormData(form), id).catch(() => null);
    delete form.dataset.sent;
    // The next button must not import another file than the one that is shown.
    if (input.files[0] !== file) return;
    if (part) show(part, id);
    // Any other response, such as the request to sign in, is a page of its own.
    else form.submit();
  });
  input.addEventListener('change', () => document.getElementById(id).replaceChildren());
}

/** The element with this id in the response to a form. */
async function partOf(action, body, id) {
  const response = await fetch(action, { method: 'POST', headers: { accept: 'text/html' }, body });
  return new DOMParser().parseFromString(await response.text(), 'text/html').getElementById(id);
}

function show(part, id) {
  for (const element of part.querySelectorAll('[data-without-file]')) element.remove();
  for (const element of part.querySelectorAll('[data-with-file]')) element.hidden = false;
  document.getElementById(id).replaceWith(part);
  part.focus();
}
