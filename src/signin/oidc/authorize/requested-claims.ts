import { CLAIMS, type UserClaim } from '../../../identity/client/client.js';
import { REQUESTABLE_ACRS, type RequestableAcr } from '../../../kernel/principal/amr.js';
import { OAuthError } from '../oauth-error.js';

/** What the parameter `claims` asks for (OpenID Connect Core section 5.5); unknown claims are ignored. */
export interface RequestedClaims {
  readonly idToken: readonly UserClaim[];
  readonly userinfo: readonly UserClaim[];
  /** Values of an essential `acr`, of which the sign-in must meet one. */
  readonly demandedAcrs: readonly RequestableAcr[];
  /** The first value of a voluntary `acr`. */
  readonly preferredAcr?: RequestableAcr;
}

const NONE: RequestedClaims = { idToken: [], userinfo: [], demandedAcrs: [] };

type Members = Readonly<Record<string, unknown>>;

/** @throws OAuthError `invalid_request` if the parameter is not JSON of that form */
export function requestedClaims(written: string | undefined): RequestedClaims {
  if (written === undefined) return NONE;
  const { id_token: idToken, userinfo } = parse(written);
  const ofIdToken = membersOf(idToken);
  const acr = membersOf(ofIdToken['acr']);
  const acrs = acrsOf(acr);
  const isEssential = acr['essential'] === true;
  const [first] = acrs;
  if (isEssential && first === undefined && hasValues(acr)) {
    throw new OAuthError('unmet_authentication_requirements', 'none of the acr values is supported');
  }
  return {
    idToken: known(ofIdToken),
    userinfo: known(membersOf(userinfo)),
    demandedAcrs: isEssential ? acrs : [],
    ...(!isEssential && first !== undefined && { preferredAcr: first }),
  };
}

function parse(written: string): Members {
  try {
    const parsed: unknown = JSON.parse(written);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Members;
  } catch {
    // The same error as for another JSON value.
  }
  throw new OAuthError('invalid_request', 'claims is not a JSON object');
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

function known(members: Members): readonly UserClaim[] {
  return CLAIMS.filter((claim) => Object.hasOwn(members, claim));
}

function hasValues({ value, values }: Members): boolean {
  return value !== undefined || values !== undefined;
}

function acrsOf({ value, values }: Members): readonly RequestableAcr[] {
  const written: readonly unknown[] = Array.isArray(values) ? values : [value];
  return written.flatMap((each) => REQUESTABLE_ACRS.find((acr) => acr === each) ?? []);
}
