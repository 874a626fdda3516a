import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { RequiredAmr } from '../../../kernel/principal/amr.js';
import type { SecurityScheme } from './document.js';

/** Access requirements of a route (src/kernel/principal/access.decorator.ts). */
export interface RouteAccess {
  readonly method: string;
  /** Path template, e.g. `/sessions/:id`. */
  readonly template: string;
  readonly isPublic: boolean;
  readonly isSecondFactor: boolean;
  readonly alsoHalfAuthenticated: boolean;
  /** Authorities of which the caller needs one. */
  readonly authorities?: readonly string[];
  readonly amr?: RequiredAmr;
}

/** The requirements of the guards for a route: credentials and possible errors. */
export interface RouteRequirements {
  /** Names of alternative security schemes; empty if no credentials are required. */
  readonly security: readonly string[];
  readonly errors: readonly ErrorCode[];
  /** Sentences (Markdown) about further requirements. */
  readonly notes: readonly string[];
}

/** The description of the interface as a whole. */
export interface Api {
  readonly title: string;
  /** Description in Markdown. */
  readonly description: string;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  readonly requirements: (access: RouteAccess) => RouteRequirements;
}
