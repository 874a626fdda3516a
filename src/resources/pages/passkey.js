// Lets users press the buttons of passkeys: fetches options, asks the authenticator, and sends its response in the form.
'use strict';

/** The request behind the suggestions of the browser in the field of the username, which another request has to end first. */
let suggestion = null;

/** Elements with the attribute. */
function all(attribute) {
  return document.querySelectorAll(`[${attribute}]`);
}

if (window.PublicKeyCredential && navigator.credentials) {
  for (const part of all('data-passkey')) enable(part);
  for (const details of all('data-without-passkey')) details.open = false;
} else {
  for (const element of all('data-no-passkeys')) element.hidden = false;
}

function enable(part) {
  const button = part.querySelector('button');
  const alert = part.querySelector('[role=alert]');
  const field = part.querySelector('input[name=credential]');
  const { form } = button;
  part.hidden = false;
  if (button.autofocus && document.activeElement === document.body) button.focus();
  button.addEventListener('click', async (event) => {
    if (sendsCode(event, form)) return;
    event.preventDefault();
    if (!isComplete(form)) return;
    button.disabled = true;
    alert.hidden = true;
    suggestion?.abort('pressed');
    try {
      const options = await optionsOf(part.dataset);
      field.value = options ? JSON.stringify(await responseTo(options, part.dataset.passkey)) : '';
      send(form);
    } catch (error) {
      button.disabled = false;
      alert.textContent = messageOf(error, part.dataset);
      alert.hidden = false;
      alert.focus();
      if ('suggested' in part.dataset) suggest(part.dataset, field);
    }
  });
  // After "Back" in the browser, the page is as it was left.
  window.addEventListener('pageshow', () => {
    button.disabled = false;
    field.value = '';
  });
  if ('suggested' in part.dataset) suggest(part.dataset, field);
}

/** Lets the browser suggest passkeys in the field of the username (WebAuthn level 3, section 5.1.4, conditional mediation). */
async function suggest(dataset, field) {
  if (!(await window.PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  for (;;) {
    const request = new window.AbortController();
    suggestion = request;
    let renewal = 0;
    try {
      const options = await optionsOf(dataset);
      if (!options || request.signal.aborted) return;
      // The challenge expires while the page stays open.
      renewal = setTimeout(() => request.abort('renewed'), options.timeout * 0.8);
      const means = { mediation: 'conditional', signal: request.signal };
      field.value = JSON.stringify(await responseTo(options, 'get', means));
      send(field.form);
      return;
    } catch {
      // Without suggestions, the page is the same.
      if (request.signal.reason !== 'renewed') return;
    } finally {
      clearTimeout(renewal);
    }
  }
}

/** True if the user has pressed Enter in a field, for which browsers click the first button of the form, to send a code. */
function sendsCode({ detail, currentTarget }, { elements: { code } }) {
  const isPressed = detail > 0 || document.activeElement === currentTarget;
  return !isPressed && code !== undefined && (document.activeElement === code || code.value !== '');
}

/** False, with a message of the browser, if a field is not filled in. A passkey takes the place of a code. */
function isComplete(form) {
  return [...form.elements].every((element) => element.name === 'code' || element.reportValidity());
}

/** Null if the service rejects the request: the response to the form without a credential then tells why. */
async function optionsOf({ options, optionsFrom }) {
  if (options) return JSON.parse(options);
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const response = await fetch(optionsFrom, { method: 'POST', headers, body: '{}' });
  return response.ok ? response.json() : null;
}

/** What `PublicKeyCredential.toJSON()` returns, which some browsers and password managers lack. */
async function responseTo(json, ceremony, means) {
  const publicKey = { ...json, challenge: decoded(json.challenge) };
  if (json.user) publicKey.user = withId(json.user);
  for (const list of ['allowCredentials', 'excludeCredentials']) {
    if (json[list]) publicKey[list] = json[list].map(withId);
  }
  const { id, rawId, type, response } = await navigator.credentials[ceremony]({ publicKey, ...means });
  const members = response.getTransports ? { transports: response.getTransports() } : {};
  for (const name of ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle']) {
    // Some browsers have an empty user handle in place of none.
    if (response[name]?.byteLength > 0) members[name] = encoded(response[name]);
  }
  return { id, rawId: encoded(rawId), type, response: members, clientExtensionResults: {} };
}

function withId(json) {
  return { ...json, id: decoded(json.id) };
}

function decoded(base64url) {
  const base64 = base64url.replaceAll('-', '+').replaceAll('_', '/');
  return Uint8Array.from(window.atob(base64), (each) => each.charCodeAt(0));
}

/** Base64url without padding. */
function encoded(bytes) {
  const base64 = window.btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Sends the form, also with an empty field for a code. */
function send(form) {
  form.noValidate = true;
  form.requestSubmit();
  form.noValidate = false;
}

function messageOf({ name }, { cancelled, known, failed }) {
  if (name === 'NotAllowedError' || name === 'AbortError') return cancelled;
  return name === 'InvalidStateError' ? known : failed;
}
