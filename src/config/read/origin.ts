import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import type { FileAccess } from '../../kernel/files/whole-file.js';

/** A file as reports name it: `class path resource [application.yml]` or `file [config/application.yml]`. */
export interface Resource {
  readonly kind: 'classpath' | 'file' | 'variable';
  /** Path relative to the package or to the working folder where it lies below, else absolute; or a variable's name. */
  readonly path: string;
  /** Access rights of the file that the text was read from. */
  readonly access?: FileAccess;
}

/** The position of a value in a file; lines and columns start at 1. */
export interface Position {
  readonly kind: 'position';
  readonly resource: Resource;
  readonly line: number;
  readonly column: number;
  /** Set if the value is a whole file, as in a folder of mounted secrets. */
  readonly isWholeFile?: true;
  /** The origin of the key that imported the file. */
  readonly parent?: Origin;
}

/** Where a value was written (configuration-sources.md, "Origins"). */
export type Origin =
  | Position
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'argument'; readonly source: 'commandLineArgs' | 'systemProperties'; readonly name: string }
  /** Published by the running service itself. */
  | { readonly kind: 'running'; readonly name: string };

export function positionIn(resource: Resource, line: number, column: number, parent?: Origin): Position {
  return withoutUndefined({ kind: 'position' as const, resource, line, column, parent });
}

/** Name of the source of facts that the running service publishes. */
export const RUNNING = 'server.ports';

export function resourceText(resource: Resource): string {
  switch (resource.kind) {
    case 'classpath':
      return `class path resource [${resource.path}]`;
    case 'file':
      return `file [${resource.path}]`;
    case 'variable':
      return `System Environment Property "${resource.path}"`;
  }
}

export function originText(origin: Origin): string {
  switch (origin.kind) {
    case 'position':
      return `${resourceText(origin.resource)} - ${origin.line}:${origin.column}`;
    case 'variable':
      return `System Environment Property "${origin.name}"`;
    case 'argument':
      return `"${origin.name}" from property source "${origin.source}"`;
    case 'running':
      return `"${origin.name}" from property source "${RUNNING}"`;
  }
}

/** True if the value comes from the package, not from an operator. */
export function isPackaged(origin: Origin): boolean {
  return origin.kind === 'position' && origin.resource.kind === 'classpath';
}

/** The origin with the chain of files that imported it, nearest first. */
export function originChain(origin: Origin): string {
  const parent = origin.kind === 'position' ? origin.parent : undefined;
  return parent ? `${originText(origin)}, imported from ${originChain(parent)}` : originText(origin);
}
