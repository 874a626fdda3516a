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
    'an audience with an extra slash',
    'audience',
    (scene) => honestXml(scene, { audience: `${scene.request.issuer ?? ''}/` }),
  ],
  [
    'an audience with spaces around it',
    'audience',
    (scene) => honestXml(scene, { audience: ` ${scene.request.issuer ?? ''} ` }),
  ],
  [
    'two other audiences',
    'audience',
    asserting((xml) => replaced(xml, AUDIENCE, audience('https://a.test', 'https://b.test'))),
  ],
  [
    'a second audience besides the expected one',
    'audience',
    (scene) =>
      asserting((xml) => replaced(xml, AUDIENCE, audience(scene.request.issuer ?? '', 'https://elsewhere.test')))(
        scene,
      ),
  ],
  [
    'two audience restrictions, one with another audience',
    'audience',
    asserting((xml) => replaced(xml, '</saml:Conditions>', `${audience('https://elsewhere.test')}</saml:Conditions>`)),
  ],
  [
    'an audience restriction without an audience',
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
    'the recipient of another identity provider',
    'recipient',
    (scene) => honestXml(scene, { recipient: scene.request.acsUrl?.replace('/corp/', '/other/') ?? '' }),
  ],
  ['another destination', 'destination', saying({ destination: ELSEWHERE })],
  ['no destination', 'destination', saying({ destination: null })],
  [
    'a destination that begins with the expected one',
    'destination',
    (scene) => honestXml(scene, { destination: `${scene.request.acsUrl ?? ''}.elsewhere.test` }),
  ],
  ['another issuer', 'issuer', saying({ issuer: 'https://elsewhere.test' })],
  [
    'another issuer in the assertion only',
    'issuer',
    (scene) => honestXml(scene, { issuer: 'https://elsewhere.test', responseIssuer: corp(scene).entityId }),
  ],
  ['another issuer in the response only', 'issuer', saying({ responseIssuer: 'https://elsewhere.test' })],
  ['no issuer in a signed response', 'issuer', saying({ signed: 'both', responseIssuer: null })],
  [
    'an issuer of another format',
    'issuer',
    asserting((xml) =>
      replaced(xml, '<saml:Issuer>', '<saml:Issuer Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">'),
    ),
  ],
  ['no issuer in the assertion', 'structure', asserting((xml) => replaced(xml, /<saml:Issuer>.*<\/saml:Issuer>/, ''))],
  [
    'a response of another configured identity provider',
    'issuer',
    (scene) => scene.staff.response(scene.request, { nameId: ATTACKER }, 'other'),
  ],
  [
    'an assertion of another identity provider in the response of this one',
    'signature',
    (scene) => scene.staff.response(scene.request, { responseIssuer: corp(scene).entityId }, 'other'),
  ],
  [
    'a response of another identity provider in the name of this one',
    'signature',
    (scene) => scene.staff.response(scene.request, { issuer: corp(scene).entityId }, 'other'),
  ],
  ['no bearer confirmation', 'confirmation', asserting((xml) => replaced(xml, 'cm:bearer', 'cm:sender-vouches'))],
  ['a holder-of-key confirmation', 'confirmation', asserting((xml) => replaced(xml, 'cm:bearer', 'cm:holder-of-key'))],
  [
    'two bearer confirmations',
    'confirmation',
    asserting((xml) => replaced(xml, '</saml:Subject>', `${part(xml, 'saml:SubjectConfirmation')}</saml:Subject>`)),
  ],
  [
    'a bearer confirmation with another NameID',
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

/** Another browser at the same service, and its AuthnRequest. */
async function departed({ staff }: Scene, idp = 'corp') {
  const client = staff.client();
  return { client, request: await staff.depart(client, '', idp) };
}

const REQUESTS = rowsOf('X8', [
  ['an unsolicited response', 'unsolicited', saying({ inResponseTo: null })],
  [
    'an unsolicited response with InResponseTo in its confirmation',
    'unsolicited',
    (scene) => honestXml(scene, { inResponseTo: null, confirmationInResponseTo: scene.request.id ?? null }),
  ],
  ['no InResponseTo in the confirmation', 'unsolicited', saying({ confirmationInResponseTo: null })],
  [
    'an assertion for another request',
    'in_response_to',
    async (scene) => {
      const other = await departed(scene);
      return honestXml(scene, { confirmationInResponseTo: other.request.id ?? null });
    },
  ],
  ['an unknown InResponseTo', 'in_response_to', saying({ inResponseTo: '_0123456789abcdef0123456789abcdef01234567' })],
  ['an empty InResponseTo', 'in_response_to', saying({ inResponseTo: '' })],
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
    'a browser with a malformed cookie',
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
    'a request to another identity provider',
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
    'relay_state',
    (scene) => ({ form: scene.staff.posted(honestXml(scene), { relayState: 'x' }) }),
  ],
  [
    'no RelayState',
    'relay_state',
    (scene) => ({ form: scene.staff.posted(honestXml(scene), { relayState: undefined }) }),
  ],
  [
    'a RelayState that is a URL',
    'relay_state',
    (scene) => ({ form: scene.staff.posted(honestXml(scene), { relayState: scene.lure }) }),
  ],
  [
    'a RelayState of 81 characters',
    'malformed',
    (scene) => ({ form: scene.staff.posted(honestXml(scene), { relayState: 'x'.repeat(81) }) }),
  ],
  [
    'the RelayState of another tab',
    'relay_state',
    async (scene) => {
      const { relayState } = await scene.staff.depart(scene.client);
      return { form: scene.staff.posted(honestXml(scene), { relayState }) };
    },
  ],
  [
    'an expired request',
    'in_response_to',
    (scene) => {
      scene.staff.story.clock.advance(300);
      return honestXml(scene);
    },
  ],
]);

const ONCE = rowsOf('X9', [
  [
    'a repeated response',
    'in_response_to',
    async (scene) => {
      const form = scene.staff.posted(honestXml(scene, { assertionId: '_once' }), scene.request);
      await accepted({ ...scene, client: scene.client.copy() }, form);
      return { form };
    },
  ],
  [
    'a repeated assertion for another request',
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
    'a repeated assertion ID',
    'replay',
    async (scene) => {
      await scene.staff.signIn({ assertionId: '_twice', nameId: 'somebody' });
      return honestXml(scene, { assertionId: '_twice' });
    },
  ],
  [
    'a repeated assertion ID, 200 seconds later',
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

/** The packaged clock skew, in milliseconds. */
const SKEW = 60_000;
const OLDEST = 300_000;

type At = (now: number) => Partial<ResponseOptions>;

/**
 * The last accepted and the first rejected value of each instant, in milliseconds from now, which is the start of a
 * second, since sessions end in whole seconds.
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
  ['no NotOnOrAfter of the confirmation', 'confirmation', saying({ confirmationNotOnOrAfter: null })],
  [
    'a malformed NotOnOrAfter',
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
    'a NotOnOrAfter in local time',
    'confirmation',
    asserting((xml) => replaced(xml, /(?<=<saml:SubjectConfirmationData NotOnOrAfter="[^"]*)Z"/, '"')),
  ],
  [
    'a NotOnOrAfter on 30 February',
    'structure',
    asserting((xml) => replaced(xml, /(?<=<saml:Conditions[^>]*NotOnOrAfter=")[^"]*/, '2099-02-30T00:00:00Z')),
  ],
  ['an empty IssueInstant', 'structure', asserting((xml) => replaced(xml, /IssueInstant="[^"]*"/, 'IssueInstant=""'))],
  ['no AuthnInstant', 'authn_statement', asserting((xml) => replaced(xml, / AuthnInstant="[^"]*"/, ''))],
]);

/** X7 to X10: parties, requests, replay and times of a response. */
export const HOSTILE_ANSWERS: readonly HostileResponse[] = [...PARTIES, ...REQUESTS, ...ONCE, ...TIMES];
