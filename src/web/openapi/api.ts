import type { ErrorCode } from '../../errors/error-code.js';
import type { RequiredAmr } from '../../principal/amr.js';
import type { SecurityScheme } from './document.js';

/** What a route asks of its callers (src/principal/access.decorator.ts). */
export interface RouteAccess {
  readonly method: string;
  /** e.g. `/sessions/:id`. */
  readonly template: string;
  readonly isPublic: boolean;
  readonly isSecondFactor: boolean;
  readonly alsoHalfAuthenticated: boolean;
  readonly authority?: string;
  readonly amr?: RequiredAmr;
}

/** What the guards make of that: what a caller must show, and what is refused. */
export interface RouteRequirements {
  /** Names of security schemes, each enough by itself; empty where nobody is asked. */
  readonly security: readonly string[];
  readonly errors: readonly ErrorCode[];
  /** Sentences (Markdown) about what must be proven. */
  readonly notes: readonly string[];
}

/** What describes an interface as a whole; comes from those who know what it is for. */
export interface Api {
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  readonly requirements: (access: RouteAccess) => RouteRequirements;
}
