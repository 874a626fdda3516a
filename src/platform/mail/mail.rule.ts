import { Rule } from '../../config/check/rule.js';
import { clientBundleProblems } from '../tls/client-bundle.rule.js';
import { MAIL_BUNDLE, MailProperties } from './mail.properties.js';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

/** The password of the relay never crosses a network in clear text. */
export const mailPasswordEncrypted = new Rule('security', (facts) => {
  const { host, username, encryption } = facts.get(MailProperties);
  if (!facts.activeProfiles.includes('prod') || host === undefined || username === undefined) return [];
  if (encryption !== 'none' || LOOPBACK.test(host)) return [];
  const what = 'The password of the mail relay would be sent without encryption';
  const action = 'Set app.mail.tls to starttls or implicit, or remove it.';
  return [facts.about('app.mail.tls', { what, action })];
});

/** A username needs a password, and the other way round. */
export const mailCredentialsComplete = new Rule('security', (facts) => {
  const { username, password } = facts.get(MailProperties);
  if ((username === undefined) === (password === undefined)) return [];
  const [set, missing] = username === undefined ? ['password', 'username'] : ['username', 'password'];
  const what = `The mail relay has a ${set} without a ${missing}`;
  const action = `Set app.mail.${missing}, or remove app.mail.${set}.`;
  return [facts.about(`app.mail.${set}`, { severity: 'error', what, action })];
});

/** The certificate bundle of the relay can be read and used, and TLS is not turned off beside it. */
export const mailBundleUsable = new Rule('tls', async (facts) => {
  const { sslBundle, encryption } = facts.get(MailProperties);
  if (sslBundle === undefined || encryption !== 'none') return clientBundleProblems(facts, MAIL_BUNDLE, sslBundle);
  const what = 'The certificate bundle of the mail relay has no effect without encryption';
  const action = `Set app.mail.tls to starttls or implicit, or remove ${MAIL_BUNDLE}.`;
  return [facts.about('app.mail.tls', { severity: 'error', what, action })];
});
