import { ConversionProblem } from '../problem.js';

const BYTES_PER_UNIT = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 } as const;

/** A number of bytes; units are uppercase and step by 1024 (configuration-sources.md, "Types"). */
export class DataSize {
  private constructor(readonly bytes: number) {}

  static ofBytes(bytes: number): DataSize {
    return new DataSize(bytes);
  }

  /** Reads `50MB`, or a bare integer in bytes; no fractions. */
  static parse(text: string): DataSize | ConversionProblem {
    const parts = /^([+-]?\d+)(B|KB|MB|GB|TB)?$/.exec(text);
    if (!parts) {
      const isSlip = /^[+-]?\d+[kmgt]?b?$/i.test(text);
      return new ConversionProblem(
        isSlip
          ? 'the unit is written KB, MB, GB or TB, in capitals'
          : 'not a data size: one whole number and one unit, without blanks',
      );
    }
    const bytes = Number(parts[1]) * BYTES_PER_UNIT[(parts[2] ?? 'B') as keyof typeof BYTES_PER_UNIT];
    return Number.isSafeInteger(bytes)
      ? new DataSize(bytes === 0 ? 0 : bytes)
      : new ConversionProblem('the size is too large');
  }

  toString(): string {
    if (this.bytes === 0) return '0B';
    for (const unit of ['TB', 'GB', 'MB', 'KB'] as const) {
      const amount = this.bytes / BYTES_PER_UNIT[unit];
      if (Number.isInteger(amount)) return `${amount}${unit}`;
    }
    return `${this.bytes}B`;
  }

  toJSON(): string {
    return this.toString();
  }
}
