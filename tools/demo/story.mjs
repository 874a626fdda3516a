import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import QRCode from 'qrcode';
import { Browser } from './browser.mjs';
import { Complaint } from './complaint.mjs';
import { Phone } from './phone.mjs';
import { runCli } from './stand.mjs';

const ATTEMPTS = 5;
const CODE_REFUSED = '401 MFA_CODE_INVALID';
/** The audience that the service demands of tokens for its own routes. */
const FOR_THIS_SERVICE = { resource: 'login-api' };

/** Runs the whole story of a login with two factors; throws a `Complaint` if the service responds unexpectedly. */
export async function tell({ url, folder, narrator, id }) {
  const browser = new Browser(url, narrator);
  await browser.reach();
  const pw = randomBytes(12).toString('base64url');
  const cli = async (words, input) => {
    narrator.command(['npm run cli --', ...words]);
    narrator.output(await runCli(words, { folder, input }));
  };
  const passwordStep = (more) => browser.send('POST', '/login', { body: { id, pw, ...more }, expect: 200 });
  const secondStep = (mfaToken, code, expect) =>
    browser.send('POST', '/login/2fa', { body: { mfa_token: mfaToken, code }, expect });

  narrator.chapter('An administrator creates a user');
  await cli(['users', 'add', id, '--password-stdin'], `${pw}\n`);

  narrator.chapter('The user signs in: without a second factor, the password is sufficient');
  narrator.remark('An access token is for resource servers, unless it is requested for the routes of this service:');
  const first = await passwordStep(FOR_THIS_SERVICE).catch((error) => {
    if (!(error instanceof Complaint)) throw error;
    const advice = 'Check that --url has the context path, and that --folder is the working folder of the service.';
    throw new Complaint(`${error.message} ${advice}`, { cause: error });
  });

  narrator.chapter('The user sets up an authenticator app');
  const setup = await browser.send('POST', '/2fa/setup', { bearer: first.access_token, body: {}, expect: 201 });
  narrator.remark('The image in "qr" has the same content as this QR code, which a phone can scan:');
  narrator.drawing(await drawn(setup.otpauth_uri));
  const phone = new Phone(setup.otpauth_uri);
  const [backupCode] = setup.backup_codes;

  narrator.chapter('A code of the app confirms the setup; from now on the second factor is required');
  const confirmedWith = phone.step;
  const code = phone.code(confirmedWith);
  const confirmed = await browser.send('POST', '/2fa/confirm', {
    bearer: first.access_token,
    body: { code, ...FOR_THIS_SERVICE },
    expect: 200,
  });
  await browser.send('GET', '/2fa', { bearer: confirmed.access_token, expect: 200 });

  narrator.chapter('The second login: the password leads only to the second step');
  const half = await passwordStep();
  narrator.remark('The mfa_token is accepted nowhere else:');
  await browser.send('GET', '/me', { bearer: half.mfa_token, expect: '401 INVALID_TOKEN' });
  narrator.remark('The code that confirmed the setup cannot be used again:');
  await secondStep(half.mfa_token, code, CODE_REFUSED);
  const nextStep = confirmedWith + 1;
  narrator.remark(`Each code works once: the app shows the next one in ${secondsUntil(phone, nextStep)} s.`);
  await sleep(phone.millisUntil(nextStep));
  const full = await secondStep(half.mfa_token, phone.code(nextStep), 200);
  narrator.remark('A route that requires the second factor accepts the token:');
  await browser.send('GET', '/me/settlement', { bearer: full.access_token, expect: 200 });
  narrator.remark('It is for resource servers, so they cannot act as the user here:');
  await browser.send('GET', '/me', { bearer: full.access_token, expect: '401 INVALID_TOKEN' });

  narrator.chapter('The user does not have the phone: a backup code works once');
  await secondStep((await passwordStep()).mfa_token, backupCode, 200);
  const again = await passwordStep();
  await secondStep(again.mfa_token, backupCode, CODE_REFUSED);

  narrator.chapter('An attacker who knows the password guesses codes: five failures in a row lock the second step');
  narrator.remark('The backup code that was sent twice counts as the first failure.');
  for (const wrong of phone.wrongCodes(ATTEMPTS - 1)) await secondStep(again.mfa_token, wrong, CODE_REFUSED);
  narrator.remark('Now a correct code is rejected like a wrong one, and the mfa_token stays invalid:');
  await secondStep(again.mfa_token, phone.code(nextStep + 1), '429 MFA_LOCKED');

  narrator.chapter('The lock does not end sessions: the access token is refreshed');
  const refreshed = await browser.send('POST', '/token/refresh', { body: FOR_THIS_SERVICE, expect: 200 });
  await browser.send('GET', '/2fa', { bearer: refreshed.access_token, expect: 200 });

  narrator.chapter('An administrator removes the lock');
  await cli(['users', 'unlock', id]);

  narrator.chapter('Step-up: the signed-in user proves the second factor again');
  narrator.remark('The clock of the phone may be one step ahead, so the service accepts this code already.');
  const stepUpWith = nextStep + 1;
  await sleep(phone.millisUntil(stepUpWith - 1));
  const raised = await browser.send('POST', '/2fa/verify', {
    bearer: refreshed.access_token,
    body: { code: phone.code(stepUpWith), ...FOR_THIS_SERVICE },
    expect: 200,
  });
  await browser.send('GET', '/me', { bearer: raised.access_token, expect: 200 });

  narrator.chapter('Logout ends the session; its access token is rejected at once');
  await browser.send('POST', '/logout', { bearer: raised.access_token, expect: 204 });
  await browser.send('GET', '/me', { bearer: raised.access_token, expect: '401 INVALID_TOKEN' });
}

function drawn(text) {
  const isTerminal = process.stdout.isTTY;
  return QRCode.toString(text, isTerminal ? { type: 'terminal', small: true } : { type: 'utf8' });
}

function secondsUntil(phone, step) {
  return Math.ceil(phone.millisUntil(step) / 1000);
}
