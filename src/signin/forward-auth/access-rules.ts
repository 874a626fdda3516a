import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import type { RequestableAcr } from '../../kernel/principal/amr.js';
import type { SignInDemands } from '../oidc/authorize/sign-in-decision.js';
import { lenientPath } from './request-target.js';

/** Who may use a part of an application. */
export interface AccessRule {
  readonly origin: string;
  /** Decoded path of the part, without a slash at its end; empty for the whole application. */
  readonly path: string;
  readonly isPublic: boolean;
  /** Roles of which a user needs one; empty for every user. */
  readonly roles: readonly string[];
  readonly minAcr?: RequestableAcr;
  /** Seconds. */
  readonly maxAge?: number;
}

/** What a rule demands of the session of a browser. */
export function demandsOf({ roles, minAcr, maxAge }: AccessRule): SignInDemands {
  return {
    prompts: new Set<never>(),
    client: { roles, ...withoutUndefined({ minAcr }) },
    claims: { demandedAcrs: [] },
    ...withoutUndefined({ maxAge }),
  };
}

/** The rules of all applications. */
export class AccessRules {
  private readonly byOrigin: ReadonlyMap<string, readonly AccessRule[]>;

  constructor(rules: readonly AccessRule[]) {
    // The longest path decides.
    const sorted = rules.toSorted((a, b) => b.path.length - a.path.length);
    this.byOrigin = Map.groupBy(sorted, ({ origin }) => origin);
  }

  hasOrigin(origin: string): boolean {
    return this.byOrigin.has(origin);
  }

  /** The rule for a decoded path; undefined without one, and if the application may read the path as one of another rule. */
  find(origin: string, path: string): AccessRule | undefined {
    const rules = this.byOrigin.get(origin) ?? [];
    const rule = rules.find((each) => isBelow(path, each.path));
    const lenient = rules.find((each) => isBelow(lenientPath(path), lenientPath(each.path)));
    return rule === lenient ? rule : undefined;
  }
}

function isBelow(path: string, prefix: string): boolean {
  return prefix === '' || prefix === '/' || path === prefix || path.startsWith(`${prefix}/`);
}
