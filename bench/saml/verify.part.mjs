// (a) Compares responses verified per second with bare node-saml on the same documents, in turns. Seconds are processor
// time: nothing here waits, and the time of other processes does not count.
import { goal } from '../measure.mjs';
import { inTurns, medianRate, partOf } from '../turns.mjs';
import { IdentityProvider, makeKeyPair } from './identity-provider.mjs';
import { bareVerification, ownVerification, PARTIES, REQUEST_ID } from './verification.mjs';

const DOCUMENTS = 100;
const ROUND_MILLIS = 400;
const ROUNDS = 41;
const LEAST_PART = 0.8;

export async function verifyPart({ folder }) {
  const idpKeys = makeKeyPair(folder, 'idp');
  const spKeys = makeKeyPair(folder, 'sp');
  const idp = new IdentityProvider(idpKeys);
  const documents = (encryptFor) =>
    Array.from({ length: DOCUMENTS }, (_, index) =>
      idp.response({ ...PARTIES, inResponseTo: REQUEST_ID, person: `person-${index}`, encryptFor }),
    );
  const part = await compared('signed', documents(), ownVerification(idpKeys), bareVerification(idpKeys));
  await compared(
    'encrypted',
    documents(spKeys.certificate),
    ownVerification(idpKeys, spKeys),
    bareVerification(idpKeys, spKeys),
  );
  goal(`responses verified: ${part.toFixed(2)} of bare node-saml, at least ${LEAST_PART}`, part >= LEAST_PART);
}

async function compared(kind, documents, own, bare) {
  for (const document of documents) {
    const [facts, profile] = [await own(document), await bare(document)];
    if (facts.nameId?.value !== profile.nameID) throw new Error(`a ${kind} response was refused: ${facts}`);
  }
  const { service, library } = await inTurns(
    { service: () => rateOf(own, documents), library: () => rateOf(bare, documents) },
    { rounds: ROUNDS, warmUp: 2 },
  );
  medianRate(`${kind} assertion, this service`, service);
  medianRate(`${kind} assertion, bare node-saml`, library);
  const part = partOf(service, library);
  console.log(`  ${kind}: the service reaches ${part.toFixed(2)} of the library (median of the rounds)`);
  return part;
}

async function rateOf(verify, documents) {
  const start = process.cpuUsage();
  let done = 0;
  let millis = 0;
  while (millis < ROUND_MILLIS) {
    await verify(documents[done % documents.length]);
    done += 1;
    const { user, system } = process.cpuUsage(start);
    millis = (user + system) / 1000;
  }
  return { rate: (1000 * done) / millis };
}
