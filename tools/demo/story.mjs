import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import QRCode from 'qrcode';
import { Browser } from './browser.mjs';
import { Complaint } from './complaint.mjs';
import { Phone } from './phone.mjs';
import { runCli } from './stand.mjs';

const ATTEMPTS = 5;
const CODE_REFUSED = '401 MFA_CODE_INVALID';

/** The whole life of a login with two factors; throws a `Complaint` where the service does not play its part. */
export async function tell({ url, folder, narrator, id }) {
  const browser = new Browser(url, narrator);
  await browser.reach();
  const pw = randomBytes(12).toString('base64url');
  const cli = async (words, input) => {
    narrator.command(['npm run cli --', ...words]);
    narrator.output(await runCli(words, { folder, input }));
  };
  const passwordStep = () => browser.send('POST', '/login', { body: { id, pw }, expect: 200 });
  const secondStep = (mfaToken, code, expect) =>
    browser.send('POST', '/login/2fa', { body: { mfa_token: mfaToken, code }, expect });

  narrator.chapter('An administrator creates a user');
  await cli(['users', 'add', id, '--password-stdin'], `${pw}\n`);

  narrator.chapter('The user signs in; without a second factor the password is enough');
  const first = await passwordStep().catch((error) => {
    if (!(error instanceof Complaint)) throw error;
    const advice = 'Does --url have the context path, and does the service run in the folder that --folder names?';
    throw new Complaint(`${error.message} ${advice}`, { cause: error });
  });

  narrator.chapter('The user sets up an authenticator app');
  const setup = await browser.send('POST', '/2fa/setup', { bearer: first.access_token, body: {}, expect: 201 });
  narrator.remark('The picture in "qr" holds the same text as this one, which a phone can scan:');
  narrator.drawing(await drawn(setup.otpauth_uri));
  const phone = new Phone(setup.otpauth_uri);
  const [backupCode] = setup.backup_codes;

  narrator.chapter('The code on the phone confirms it; from here on the second factor is demanded');
  const confirmedWith = phone.step;
  const code = phone.code(confirmedWith);
  const confirmed = await browser.send('POST', '/2fa/confirm', {
    bearer: first.access_token,
    body: { code },
    expect: 200,
  });
  await browser.send('GET', '/2fa', { bearer: confirmed.access_token, expect: 200 });

  narrator.chapter('The second login: the password opens only the second step');
  const half = await passwordStep();
  narrator.remark('The mfa_token opens nothing else:');
  await browser.send('GET', '/me', { bearer: half.mfa_token, expect: '401 INVALID_TOKEN' });
  narrator.remark('The code that confirmed the setup is used up:');
  await secondStep(half.mfa_token, code, CODE_REFUSED);
  const nextStep = confirmedWith + 1;
  narrator.remark(`A code works once: the phone shows the next one in ${secondsUntil(phone, nextStep)} s.`);
  await sleep(phone.millisUntil(nextStep));
  const full = await secondStep(half.mfa_token, phone.code(nextStep), 200);
  narrator.remark('A function that asks for the second factor opens:');
  await browser.send('GET', '/me/settlement', { bearer: full.access_token, expect: 200 });

  narrator.chapter('The phone is at home: a backup code serves, once');
  await secondStep((await passwordStep()).mfa_token, backupCode, 200);
  const again = await passwordStep();
  await secondStep(again.mfa_token, backupCode, CODE_REFUSED);

  narrator.chapter('Somebody who knows the password guesses codes: five in a row lock the second step');
  narrator.remark('The backup code sent twice was the first wrong one.');
  for (const wrong of phone.wrongCodes(ATTEMPTS - 1)) await secondStep(again.mfa_token, wrong, CODE_REFUSED);
  narrator.remark('Now the right code is refused like a wrong one, and the mfa_token is dead for good:');
  await secondStep(again.mfa_token, phone.code(nextStep + 1), '429 MFA_LOCKED');

  narrator.chapter('The lock does not throw out who is signed in: the access token is renewed');
  const refreshed = await browser.send('POST', '/token/refresh', { expect: 200 });
  await browser.send('GET', '/2fa', { bearer: refreshed.access_token, expect: 200 });

  narrator.chapter('An administrator ends the lock');
  await cli(['users', 'unlock', id]);

  narrator.chapter('Step-up: the signed-in user proves the second factor anew');
  narrator.remark('The phone may be one step ahead of the service; so this code already counts.');
  const stepUpWith = nextStep + 1;
  await sleep(phone.millisUntil(stepUpWith - 1));
  const raised = await browser.send('POST', '/2fa/verify', {
    bearer: refreshed.access_token,
    body: { code: phone.code(stepUpWith) },
    expect: 200,
  });
  await browser.send('GET', '/me', { bearer: raised.access_token, expect: 200 });

  narrator.chapter('Logout ends the session; its access token is refused at once');
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
