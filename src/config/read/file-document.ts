import type { Activation } from './activation.js';
import type { LocationGroup } from './location.js';
import type { ConfigSource } from './source.js';

/** The import of one document, or one built-in location: a node of the tree of everything that is read. */
export class Importer {
  private early: readonly FileDocument[] | undefined;
  private late: readonly FileDocument[] | undefined;
  /** Profile variants of the imports of early documents; they rank above this whole importer. */
  private raisedVariants: readonly FileDocument[] = [];
  private found: readonly LocationGroup[] | undefined;

  constructor(private readonly find: () => readonly LocationGroup[]) {}

  /** The imported locations. They are found once: the variants of a profile belong to the same files. */
  get groups(): readonly LocationGroup[] {
    this.found ??= this.find();
    return this.found;
  }

  get isRead(): boolean {
    return this.early !== undefined;
  }

  /** Stores the documents that were read before the profiles are known, lowest first. */
  storeEarly(documents: readonly FileDocument[]): void {
    this.early = documents;
  }

  /** Stores the documents that were read for the active profiles, lowest first, and the variants of imports below. */
  storeLate(documents: readonly FileDocument[]): void {
    this.late = documents;
    this.raisedVariants = (this.early ?? []).flatMap(({ imports }) => imports?.removeVariants() ?? []);
  }

  /** A variant rises by one importer, not further (docs/decisions/0034). */
  private removeVariants(): readonly FileDocument[] {
    const late = this.late ?? [];
    this.late = late.filter(({ isOfProfile }) => !isOfProfile);
    return late.filter(({ isOfProfile }) => isOfProfile);
  }

  /** Removes the documents of a file that a higher importer reads instead. */
  drop(file: string): void {
    this.early = this.early?.filter((document) => document.file !== file);
  }

  /** The active documents, lowest first: each document, followed by its imports. */
  active(accepted: ReadonlySet<string> | undefined): readonly FileDocument[] {
    return this.documents(accepted).flatMap((document) => [document, ...(document.imports?.active(accepted) ?? [])]);
  }

  /** The next importer to read: that of the highest document first, and imports before the importer itself. */
  next(accepted: ReadonlySet<string> | undefined): Importer | undefined {
    for (const { imports } of this.documents(accepted).toReversed()) {
      const next = imports?.next(accepted);
      if (next) return next;
    }
    return (accepted ? this.late : this.early) ? undefined : this;
  }

  private documents(accepted: ReadonlySet<string> | undefined): readonly FileDocument[] {
    const all = [...(this.early ?? []), ...(this.late ?? []), ...this.raisedVariants];
    return all.filter((document) => document.isActive(accepted));
  }
}

/** One document of one file. */
export class FileDocument {
  constructor(
    readonly source: ConfigSource,
    /** Identity of the file. */
    readonly file: string,
    /** True in the variant of a file for a profile, such as `application-prod.yml`. */
    readonly isOfProfile: boolean,
    private readonly activation: Activation,
    readonly imports: Importer | undefined,
  ) {}

  isActive(profiles: ReadonlySet<string> | undefined): boolean {
    return this.activation.isActive(profiles);
  }
}
