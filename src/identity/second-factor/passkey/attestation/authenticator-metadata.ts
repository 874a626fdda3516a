import { X509Certificate } from 'node:crypto';
import * as v from 'valibot';
import { parseInstant } from '../../../../config/bind/instant.js';
import { type AuthenticatorModel, type MetadataContents, UnusableMetadata } from './authenticator-model.js';
import { leadsTo } from './trust-path.js';

/** Who may sign a BLOB. */
export interface MetadataSigners {
  readonly roots: readonly X509Certificate[];
  /** Names of the signer's certificate, one of which it must have; undefined if the roots sign nothing else. */
  readonly hosts: readonly string[] | undefined;
}

/** Statuses after which no authenticator of the model is trusted, whatever followed: its firmware is not known. */
const DISTRUSTED = [
  'REVOKED',
  'USER_VERIFICATION_BYPASS',
  'ATTESTATION_KEY_COMPROMISE',
  'USER_KEY_REMOTE_COMPROMISE',
  'USER_KEY_PHYSICAL_COMPROMISE',
];

const reports = v.array(v.object({ status: v.string() }));

/** Names of a model: U2F authenticators have no AAGUID. */
const names = {
  aaguid: v.optional(v.string()),
  attestationCertificateKeyIdentifiers: v.optional(v.array(v.string())),
};

/** FIDO Metadata Statement v3, section 3.1: the members that are read. */
const statement = v.object({
  ...names,
  description: v.string(),
  attestationRootCertificates: v.optional(v.array(v.string()), []),
});

/** FIDO Metadata Service v3, section 3.1.1. */
const entry = v.object({
  ...names,
  metadataStatement: v.optional(statement),
  statusReports: v.optional(reports, []),
});

const payload = v.object({ nextUpdate: v.string(), entries: v.array(entry) });

const statements = v.union([v.array(v.union([entryOfFile(), statement])), statement]);

/** An entry of a BLOB without its signature, as operators copy it. */
function entryOfFile() {
  return v.object({ metadataStatement: statement, statusReports: v.optional(reports, []) });
}

/**
 * Reads the BLOB of a metadata service (FIDO Metadata Service v3, section 3.2), or statements in JSON, which are trusted as the
 * file is. `now` is in milliseconds since 1970.
 *
 * @throws UnusableMetadata
 */
export async function readMetadata(text: string, signers: MetadataSigners, now: number): Promise<MetadataContents> {
  const trimmed = text.trim();
  if (/^[[{]/.test(trimmed)) return { models: modelsOf(entriesOf(trimmed)), outdatedFrom: undefined };
  const { nextUpdate, entries } = parsed(payload, await verifiedPayload(trimmed, signers, now));
  return { models: modelsOf(entries), outdatedFrom: dueOf(nextUpdate) };
}

type Entry = v.InferOutput<typeof entry>;

function entriesOf(json: string): readonly Entry[] {
  const read = parsed(statements, json);
  return [read].flat().map((each) => ('description' in each ? { metadataStatement: each, statusReports: [] } : each));
}

function modelsOf(entries: readonly Entry[]): ReadonlyMap<string, AuthenticatorModel> {
  const models = new Map<string, AuthenticatorModel>();
  for (const each of entries) {
    const { metadataStatement, statusReports } = each;
    const model = {
      description: metadataStatement?.description,
      roots: metadataStatement?.attestationRootCertificates ?? [],
      distrust: statusReports.find(({ status }) => DISTRUSTED.includes(status))?.status,
    };
    for (const id of idsOf(each)) models.set(id.toLowerCase(), model);
  }
  return models;
}

function idsOf({ metadataStatement: described, ...entry }: Entry): readonly string[] {
  const aaguid = entry.aaguid ?? described?.aaguid;
  const keys = entry.attestationCertificateKeyIdentifiers ?? described?.attestationCertificateKeyIdentifiers ?? [];
  return aaguid === undefined ? keys : [aaguid, ...keys];
}

/** Signature algorithms of a BLOB. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'];

async function verifiedPayload(blob: string, { roots, hosts }: MetadataSigners, now: number): Promise<string> {
  const { compactVerify } = await import('jose');
  const chain = chainOf(blob);
  const [signer] = chain;
  if (!signer) throw new UnusableMetadata('it is neither the BLOB of a metadata service nor JSON');
  let text: string;
  try {
    const { payload: bytes } = await compactVerify(blob, signer.publicKey, { algorithms: ALGORITHMS });
    text = new TextDecoder().decode(bytes);
  } catch (cause) {
    throw new UnusableMetadata('its signature is wrong', { cause });
  }
  // An outdated BLOB stays genuine when the certificate of its signer expires.
  const { nextUpdate } = parsed(payload, text);
  if (!leadsTo(chain, roots, Math.min(now, dueOf(nextUpdate)))) {
    throw new UnusableMetadata('its signer is not certified by a trusted root');
  }
  // The roots of FIDO also certify unrelated web servers, so the name decides.
  if (hosts && !hosts.some((host) => signer.checkHost(host) !== undefined)) {
    throw new UnusableMetadata(`its signer is none of ${hosts.join(', ')}`);
  }
  return text;
}

/** The certificates in the header of the BLOB, that of the signer first; empty if there is no such header. */
function chainOf(blob: string): readonly X509Certificate[] {
  try {
    const header = JSON.parse(Buffer.from(blob.slice(0, blob.indexOf('.')), 'base64url').toString()) as unknown;
    const { x5c } = v.parse(v.object({ x5c: v.array(v.string()) }), header);
    return x5c.map((der) => new X509Certificate(Buffer.from(der, 'base64')));
  } catch {
    return [];
  }
}

/** The end of the day at which newer metadata are due, in milliseconds since 1970. */
function dueOf(nextUpdate: string): number {
  const day = parseInstant(nextUpdate);
  if (day === undefined) throw new UnusableMetadata('its nextUpdate is not a date');
  return day + 24 * 3600 * 1000;
}

function parsed<S extends v.GenericSchema>(schema: S, json: string): v.InferOutput<S> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new UnusableMetadata('it is not JSON', { cause });
  }
  const result = v.safeParse(schema, value);
  if (!result.success) throw new UnusableMetadata('its members are not those of authenticator metadata');
  return result.output;
}
