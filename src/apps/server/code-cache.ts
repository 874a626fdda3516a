import { accessSync, constants, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { dirname, join } from 'node:path';
import { arch, pid, version } from 'node:process';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** The file of the bundle with all that every startup of the service needs; tools/bundle.mjs writes it. */
const FILE = 'service.cjs';

/** Text that Node puts around the source of a CommonJS module. */
const BEFORE = Buffer.from('(function (exports, require, module, __filename, __dirname) {');
const AFTER = Buffer.from('\n})');
const SUM_BYTES = 4;

type Wrapped = (
  exports: unknown,
  require: NodeJS.Require,
  module: NodeJS.Module,
  filename: string,
  folder: string,
) => void;

/**
 * Caches the compiled code of the bundle in a file beside it. Node's own compile cache stores a module before it runs,
 * without the functions that V8 compiles at their first call: five thousand during startup, a quarter of its time.
 */
export class CodeCache {
  private unsaved: (() => void) | undefined;

  /** Runs the bundle in a folder, so that imports find it. Does nothing in a folder without a bundle. */
  static load(folder: string): CodeCache {
    const cache = new CodeCache();
    const file = join(folder, FILE);
    const require = createRequire(file);
    if (require.cache[file] === undefined && existsSync(file)) cache.run(file, require);
    return cache;
  }

  /** Stores the code that is compiled by now, unless this process runs cached code. Compiled code contains no data. */
  save(): void {
    this.unsaved?.();
    this.unsaved = undefined;
  }

  private run(file: string, require: NodeJS.Require): void {
    const source = readFileSync(file);
    const compiled = new CompiledCode(file, source);
    const cachedData = compiled.read();
    // V8 retains the text and, for a concatenated text, its parts as well.
    const script = new Script(Buffer.concat([BEFORE, source, AFTER]).toString(), {
      filename: file,
      columnOffset: -BEFORE.length,
      ...(cachedData && { cachedData }),
    });
    // V8 rejects the code of other versions and flags.
    if ((cachedData === undefined || script.cachedDataRejected === true) && compiled.isWritable) {
      this.unsaved = () => {
        compiled.write(script.createCachedData());
      };
    }
    const module = new Module(file);
    module.filename = file;
    require.cache[file] = module;
    (script.runInThisContext() as Wrapped).call(module.exports, module.exports, require, module, file, dirname(file));
    module.loaded = true;
  }
}

/** The compiled code of one file and one version of Node, behind the checksums of the source and of the code. */
class CompiledCode {
  private readonly path: string;
  private readonly sourceSum: number;

  constructor(file: string, source: Buffer) {
    this.path = `${file}.${version}-${arch}.code`;
    this.sourceSum = crc32(source);
  }

  /** True unless the folder is read-only, where V8 need not produce the code. */
  get isWritable(): boolean {
    try {
      accessSync(dirname(this.path), constants.W_OK);
      return true;
    } catch {
      return false;
    }
  }

  /** Returns undefined for missing, damaged or outdated code: V8 itself compares only the length of the source. */
  read(): Buffer | undefined {
    try {
      const bytes = readFileSync(this.path);
      const code = bytes.subarray(2 * SUM_BYTES);
      const isIntact = bytes.readUInt32LE(0) === this.sourceSum && bytes.readUInt32LE(SUM_BYTES) === crc32(code);
      return isIntact ? code : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Replaces the file atomically, since other processes may start meanwhile. Without space or permission, nothing is
   * stored.
   */
  write(code: Buffer): void {
    const sums = Buffer.alloc(2 * SUM_BYTES);
    sums.writeUInt32LE(this.sourceSum, 0);
    sums.writeUInt32LE(crc32(code), SUM_BYTES);
    const draft = `${this.path}.${pid}`;
    try {
      // Write access to this file is write access to the code.
      writeFileSync(draft, Buffer.concat([sums, code]), { mode: 0o644 });
      renameSync(draft, this.path);
    } catch {
      rmSync(draft, { force: true });
    }
  }
}
