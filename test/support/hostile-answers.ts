import {
  asserting,
  ATTACKER,
  corp,
  type HostileResponse,
  honestXml,
  rowsOf,
  saying,
  type Scene,
} from './hostile-scene.js';
import type { ResponseOptions } from './saml-response.js';
import { part, replaced } from './saml-xml.js';

const ELSEWHERE = 'https://elsewhere.test/saml/corp/acs';
const AUDIENCE = /<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/s;

function audience(...names: readonly string[]): string {
  return `<saml:AudienceRestriction>${names.map((name) => `<saml:Audience>${name}</saml:Audience>`).join('')}</saml:AudienceRestriction>`;
}

const PARTIES = rowsOf('X7', [
  ['another audience', 'audience', saying({ audience: 'https://elsewhere.test' })],
  ['no audience', 'audience', saying({ audience: null })],
  ['no conditions', 'structure', asserting((xml) => replaced(xml, /<saml:Conditions.*<\/saml:Conditions>/s, ''))],
  ['an empty audience', 'audience', saying({ audience: '' })],
  [
    'an audience in other case',
    'audience',
    (scene) => honestXml(scene, { audience: (scene.request.issuer ?? '').toUpperCase() }),
  ],
  [
    'an audience with a slash more',
    'audience',
    (scene) => honestXml(scene, { audience: `${scene.request.issuer ?? ''}/` }),
  ],
  [
    'an audience with blanks around it',
    'audience',
    (scene) => honestXml(scene, { audience: ` ${scene.request.issuer ?? ''} ` }),
  ],
  [
    'two audiences, both others',
    'audience',
    asserting((xml) => replaced(xml, AUDIENCE, audience('https://a.test', 'https://b.test'))),
  ],
  [
    'a second audience beside ours',
    'audience',
    (scene) =>
      asserting((xml) => replaced(xml, AUDIENCE, audience(scene.request.issuer ?? '', 'https://elsewhere.test')))(
        scene,
      ),
  ],
  [
    'two restrictions, one for others',
    'audience',
    asserting((xml) => replaced(xml, '</saml:Conditions>', `${audience('https://elsewhere.test')}</saml:Conditions>`)),
  ],
  [
    'a restriction without an audience',
    'audience',
    asserting((xml) =>
      replaced(xml, '</saml:Conditions>', '<saml:AudienceRestriction></saml:AudienceRestriction></saml:Conditions>'),
    ),
  ],
  [
    'an unknown condition',
    'structure',
    asserting((xml) =>
      replaced(xml, '</saml:Conditions>', '<saml:Condition xmlns:x="urn:x"></saml:Condition></saml:Conditions>'),
    ),
  ],
  [
    'two conditions',
    'structure',
    asserting((xml) => replaced(xml, /<saml:Conditions.*<\/saml:Conditions>/s, part(xml, 'saml:Conditions').repeat(2))),
  ],
  ['another recipient', 'recipient', saying({ recipient: ELSEWHERE })],
  ['no recipient', 'recipient', saying({ recipient: null })],
  [
    'the recipient of another provider',
    'recipient',
    (scene) => honestXml(scene, { recipient: scene.request.acsUrl?.replace('/corp/', '/other/') ?? '' }),
  ],
  ['another destination', 'destination', saying({ destination: ELSEWHERE })],
  ['no destination', 'destination', saying({ destination: null })],
  [
    'a destination that begins with ours',
    'destination',
    (scene) => honestXml(scene, { destination: `${scene.request.acsUrl ?? ''}.elsewhere.test` }),
  ],
  ['another issuer', 'issuer', saying({ issuer: 'https://elsewhere.test' })],
  [
    'another issuer of the assertion alone',
    'issuer',
    (scene) => honestXml(scene, { issuer: 'https://elsewhere.test', responseIssuer: corp(scene).entityId }),
  ],
  ['another issuer of the response alone', 'issuer', saying({ responseIssuer: 'https://elsewhere.test' })],
  ['no issuer of a signed response', 'issuer', saying({ signed: 'both', responseIssuer: null })],
  [
    'an issuer of another format',
    'issuer',
    asserting((xml) =>
      replaced(xml, '<saml:Issuer>', '<saml:Issuer Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">'),
    ),
  ],
  ['no issuer of the assertion', 'structure', asserting((xml) => replaced(xml, /<saml:Issuer>.*<\/saml:Issuer>/, ''))],
  [
    'an answer of another provider of ours',
    'issuer',
    (scene) => scene.staff.response(scene.request, { nameId: ATTACKER }, 'other'),
  ],
  [
    'an assertion of another provider in the response of this one',
    'signature',
    (scene) => scene.staff.response(scene.request, { responseIssuer: corp(scene).entityId }, 'other'),
  ],
  [
    'another provider that names this one',
    'signature',
    (scene) => scene.staff.response(scene.request, { issuer: corp(scene).entityId }, 'other'),
  ],
  ['no bearer', 'confirmation', asserting((xml) => replaced(xml, 'cm:bearer', 'cm:sender-vouches'))],
  ['a holder of a key', 'confirmation', asserting((xml) => replaced(xml, 'cm:bearer', 'cm:holder-of-key'))],
  [
    'two bearers',
    'confirmation',
    asserting((xml) => replaced(xml, '</saml:Subject>', `${part(xml, 'saml:SubjectConfirmation')}</saml:Subject>`)),
  ],
  [
    'a bearer who is somebody else',
    'confirmation',
    asserting((xml) =>
      replaced(
        xml,
        '<saml:SubjectConfirmationData',
        '<saml:NameID>somebody</saml:NameID><saml:SubjectConfirmationData',
      ),
    ),
  ],
  ['no subject', 'structure', asserting((xml) => replaced(xml, /<saml:Subject>.*<\/saml:Subject>/s, ''))],
]);

/** Another browser at the same service, and what it asked for. */
async function departed({ staff }: Scene, idp = 'corp') {
  const client = staff.client();
  return { client, request: await staff.depart(client, '', idp) };
}

const REQUESTS = rowsOf('X8', [
  ['an answer that nobody asked for', 'unsolicited', saying({ inResponseTo: null })],
  [
    'an answer to nobody, confirmed for somebody',
    'unsolicited',
    (scene) => honestXml(scene, { inResponseTo: null, confirmationInResponseTo: scene.request.id ?? null }),
  ],
  ['an answer that the assertion does not repeat', 'unsolicited', saying({ confirmationInResponseTo: null })],
  [
    'an answer whose assertion is for another request',
    'in_response_to',
    async (scene) => {
      const other = await departed(scene);
      return honestXml(scene, { confirmationInResponseTo: other.request.id ?? null });
    },
  ],
  [
    'an answer to a request that is none',
    'in_response_to',
    saying({ inResponseTo: '_0123456789abcdef0123456789abcdef01234567' }),
  ],
  ['an empty name of a request', 'in_response_to', saying({ inResponseTo: '' })],
  [
    'the request of another browser',
    'other_browser',
    async (scene) => {
      const { request } = await departed(scene);
      return { form: scene.staff.posted(scene.staff.response(request, { nameId: ATTACKER }), request) };
    },
  ],
  [
    'a browser without its cookie',
    'other_browser',
    (scene) => {
      scene.client.forget('saml_request');
      return honestXml(scene);
    },
  ],
  [
    'a browser with a cookie of no form',
    'other_browser',
    (scene) => {
      scene.client.plant('saml_request', '__proto__', '/saml');
      return honestXml(scene);
    },
  ],
  [
    'a browser with the cookie of another one',
    'other_browser',
    async (scene) => {
      const { client } = await departed(scene);
      scene.client.plant('saml_request', client.cookie('saml_request') ?? '', '/saml');
      return honestXml(scene);
    },
  ],
  [
    'the request that another provider was asked',
    'in_response_to',
    async (scene) => {
      const request = await scene.staff.depart(scene.client, '', 'other');
      const { acsUrl, issuer } = scene.request;
      return {
        form: scene.staff.posted(scene.staff.response({ ...request, acsUrl, issuer }, { nameId: ATTACKER }), request),
      };
    },
  ],
  [
    'another RelayState',
    'in_response_to',
    (scene) => ({ form: scene.staff.posted(honestXml(scene), { relayState: 'x' }) }),
  ],
  [
    'no RelayState',
    'in_response_to',
    (scene) => ({ form: scene.staff.posted(honestXml(scene), { relayState: undefined }) }),
  ],
  [
    'a RelayState that is a URL',
    'in_response_to',
    (scene) => ({ form: scene.staff.posted(honestXml(scene), { relayState: scene.lure }) }),
  ],
  [
    'a RelayState of 81 characters',
    'malformed',
    (scene) => ({ form: scene.staff.posted(honestXml(scene), { relayState: 'x'.repeat(81) }) }),
  ],
  [
    'the RelayState of another tab',
    'in_response_to',
    async (scene) => {
      const { relayState } = await scene.staff.depart(scene.client);
      return { form: scene.staff.posted(honestXml(scene), { relayState }) };
    },
  ],
  [
    'a request whose time is over',
    'in_response_to',
    (scene) => {
      scene.staff.story.clock.advance(300);
      return honestXml(scene);
    },
  ],
]);

const ONCE = rowsOf('X9', [
  [
    'an answer a second time',
    'in_response_to',
    async (scene) => {
      const form = scene.staff.posted(honestXml(scene, { assertionId: '_once' }), scene.request);
      await accepted({ ...scene, client: scene.client.copy() }, form);
      return { form };
    },
  ],
  [
    'an assertion a second time, for another request',
    'in_response_to',
    async (scene) => {
      const first = honestXml(scene, { assertionId: '_again' });
      const before = scene.client.copy();
      await accepted({ ...scene, client: before }, scene.staff.posted(first, scene.request));
      const request = await scene.staff.depart(scene.client);
      return {
        form: scene.staff.posted(first.replace(/InResponseTo="[^"]*"/, `InResponseTo="${request.id ?? ''}"`), request),
      };
    },
  ],
  [
    'the id of an assertion a second time',
    'replay',
    async (scene) => {
      await scene.staff.signIn({ assertionId: '_twice', nameId: 'somebody' });
      return honestXml(scene, { assertionId: '_twice' });
    },
  ],
  [
    'the id of an assertion a second time, later',
    'replay',
    async (scene) => {
      await scene.staff.signIn({ assertionId: '_thrice', nameId: 'somebody' });
      scene.staff.story.clock.advance(200);
      return honestXml(scene, { assertionId: '_thrice' });
    },
  ],
]);

async function accepted({ staff, client }: Scene, form: Readonly<Record<string, string>>): Promise<void> {
  const answer = await staff.arrive(client, form);
  if (answer.status !== 303) throw new Error(`${answer.request} → ${answer.status} ${answer.text}`);
}

/** With a skew of 60 s and an age of 300 s, which are the packaged ones. */
export const SKEW = 60_000;
const OLDEST = 300_000;

type At = (now: number) => Partial<ResponseOptions>;

/**
 * Each instant at the last millisecond that counts, and the first that does not, in milliseconds from now, which is the
 * start of a second: sessions end in whole ones.
 */
export const EDGES: readonly {
  readonly what: string;
  readonly reason: 'not_yet_valid' | 'expired' | 'too_old';
  readonly last: number;
  readonly first: number;
  readonly at: (millis: number) => Partial<ResponseOptions>;
}[] = [
  {
    what: 'NotBefore of the conditions',
    reason: 'not_yet_valid',
    last: SKEW,
    first: SKEW + 1,
    at: (notBefore) => ({ notBefore }),
  },
  {
    what: 'NotBefore of the confirmation',
    reason: 'not_yet_valid',
    last: SKEW,
    first: SKEW + 1,
    at: (millis) => ({
      bendAssertion: (xml) =>
        replaced(
          xml,
          '<saml:SubjectConfirmationData',
          `<saml:SubjectConfirmationData NotBefore="${new Date(millis).toISOString()}"`,
        ),
    }),
  },
  {
    what: 'IssueInstant in the future',
    reason: 'not_yet_valid',
    last: SKEW,
    first: SKEW + 1,
    at: (issueInstant) => ({ issueInstant }),
  },
  {
    what: 'AuthnInstant in the future',
    reason: 'not_yet_valid',
    last: SKEW,
    first: SKEW + 1,
    at: (authnInstant) => ({ authnInstant }),
  },
  {
    what: 'NotOnOrAfter of both',
    reason: 'expired',
    last: 1 - SKEW,
    first: -SKEW,
    at: (notOnOrAfter) => ({ notOnOrAfter, notBefore: null }),
  },
  {
    what: 'NotOnOrAfter of the confirmation',
    reason: 'expired',
    last: 1 - SKEW,
    first: -SKEW,
    at: (confirmationNotOnOrAfter) => ({ confirmationNotOnOrAfter }),
  },
  {
    what: 'NotOnOrAfter of the conditions',
    reason: 'expired',
    last: 1 - SKEW,
    first: -SKEW,
    at: (notOnOrAfter) => ({ notOnOrAfter, notBefore: null, confirmationNotOnOrAfter: notOnOrAfter + 10 * SKEW }),
  },
  {
    what: 'SessionNotOnOrAfter',
    reason: 'expired',
    last: 1_000,
    first: 999,
    at: (sessionNotOnOrAfter) => ({ sessionNotOnOrAfter }),
  },
  {
    what: 'IssueInstant in the past',
    reason: 'too_old',
    last: 1 - SKEW - OLDEST,
    first: -SKEW - OLDEST,
    at: (issueInstant) => ({ issueInstant }),
  },
];

function atNow(options: At): HostileResponse['bend'] {
  return (scene) => honestXml(scene, options(scene.staff.story.clock.millis));
}

const TIMES = rowsOf('X10', [
  ...EDGES.map(
    ({ what, reason, first, at }) => [`${what}, by a millisecond`, reason, atNow((now) => at(now + first))] as const,
  ),
  ['no end of the confirmation', 'confirmation', saying({ confirmationNotOnOrAfter: null })],
  [
    'an end that is no time',
    'confirmation',
    asserting((xml) =>
      replaced(
        xml,
        /<saml:SubjectConfirmationData NotOnOrAfter="[^"]*"/,
        '<saml:SubjectConfirmationData NotOnOrAfter="never"',
      ),
    ),
  ],
  [
    'an end in local time',
    'confirmation',
    asserting((xml) => replaced(xml, /(?<=<saml:SubjectConfirmationData NotOnOrAfter="[^"]*)Z"/, '"')),
  ],
  [
    'an end on 30 February',
    'structure',
    asserting((xml) => replaced(xml, /(?<=<saml:Conditions[^>]*NotOnOrAfter=")[^"]*/, '2099-02-30T00:00:00Z')),
  ],
  [
    'an issue that is no time',
    'structure',
    asserting((xml) => replaced(xml, /IssueInstant="[^"]*"/, 'IssueInstant=""')),
  ],
  ['no AuthnInstant', 'authn_statement', asserting((xml) => replaced(xml, / AuthnInstant="[^"]*"/, ''))],
]);

/** X7 to X10: for whom, for which request, how often and when an answer counts. */
export const HOSTILE_ANSWERS: readonly HostileResponse[] = [...PARTIES, ...REQUESTS, ...ONCE, ...TIMES];
