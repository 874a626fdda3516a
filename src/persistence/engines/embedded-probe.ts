import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { DataSource } from 'typeorm';
import { type DatabaseProbe, firstValue } from './database-probe.js';

/** Asks the embedded database, whose file somebody may have taken away: SQLite goes on writing into one without a name. */
export class EmbeddedProbe implements DatabaseProbe {
  private readonly file: string | undefined;
  private readonly inode: number | undefined;

  constructor(private readonly dataSource: DataSource) {
    const { database } = dataSource.options;
    this.file = typeof database === 'string' && database !== ':memory:' ? database : undefined;
    this.inode = this.file === undefined ? undefined : statSync(this.file).ino;
  }

  product(): Promise<string> {
    return Promise.resolve('SQLite');
  }

  async ping(): Promise<void> {
    await this.ask('SELECT 1');
  }

  async ask(sql: string): Promise<unknown> {
    await this.checkFile();
    return firstValue(await this.dataSource.query(sql));
  }

  translated(sql: string): string {
    return sql.replace(/\s+FROM\s+DUAL\s*;?$/i, '');
  }

  private async checkFile(): Promise<void> {
    if (this.file === undefined) return;
    const found = await stat(this.file).catch((error: unknown) => {
      throw new Error('the file of the database cannot be found', { cause: error });
    });
    if (found.ino !== this.inode) throw new Error('the file of the database is another one than at the start');
  }
}
