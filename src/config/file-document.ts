import type { LocationGroup } from './location.js';
import type { ProfileExpression } from './profile-expression.js';
import type { ConfigSource } from './source.js';

/** Somebody who imports: the two kinds of documents it brought, lowest first. */
export class Importer {
  /** Undefined until read. */
  plain: readonly FileDocument[] | undefined;
  ofProfiles: readonly FileDocument[] | undefined;
  private found: readonly LocationGroup[] | undefined;

  constructor(private readonly find: () => readonly LocationGroup[]) {}

  /** What is imported, decided once: the variants of a profile belong to the same files. */
  get groups(): readonly LocationGroup[] {
    this.found ??= this.find();
    return this.found;
  }

  /** Lowest first: what was brought, and behind each document what that one imported. */
  active(accepted: ReadonlySet<string> | undefined): readonly FileDocument[] {
    return this.documents(accepted).flatMap((document) => [document, ...(document.imports?.active(accepted) ?? [])]);
  }

  /** The highest importer of this tree that has something left to read. */
  next(accepted: ReadonlySet<string> | undefined): Importer | undefined {
    if (!this.plain || (accepted && !this.ofProfiles)) return this;
    for (const { imports } of this.documents(accepted).toReversed()) {
      const next = imports?.next(accepted);
      if (next) return next;
    }
    return undefined;
  }

  private documents(accepted: ReadonlySet<string> | undefined): readonly FileDocument[] {
    return [...(this.plain ?? []), ...(this.ofProfiles ?? [])].filter((document) => document.isActive(accepted));
  }
}

/** One document of one file. */
export class FileDocument {
  constructor(
    readonly source: ConfigSource,
    private readonly conditions: readonly ProfileExpression[],
    private readonly isOnThisPlatform: boolean,
    readonly imports: Importer | undefined,
  ) {}

  /** Without profiles chosen yet, a document with a condition does not count. */
  isActive(profiles: ReadonlySet<string> | undefined): boolean {
    if (!this.isOnThisPlatform) return false;
    if (this.conditions.length === 0) return true;
    return profiles !== undefined && this.conditions.some(({ test }) => test(profiles));
  }
}
