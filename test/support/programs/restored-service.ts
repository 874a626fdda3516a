import { randomBytes } from 'node:crypto';
import { HttpClient } from '../http/http-client.js';
import type { LoginStory } from '../login/login-story.js';
import { type Ended, runCli, type RunningService, startService } from './service.js';
import type { StoryDatabase } from '../database/story-database.js';

/** One seal key for every database of a test file, as an operator puts it in place before a restore. */
export const SEAL_ARGS = [`--app.security.seal.keys.k1=${randomBytes(32).toString('base64')}`];

/** The arguments of a story for another database. */
export function argsOn(story: LoginStory, database: StoryDatabase): readonly string[] {
  return [...database.args, ...story.args.filter((argument) => !argument.startsWith('--app.datasource.'))];
}

export function commandOn(story: LoginStory, database: StoryDatabase, ...args: readonly string[]): Promise<Ended> {
  return runCli([...args, ...argsOn(story, database)], {
    cwd: story.cwd,
    nodeArguments: story.clock.nodeArguments,
  });
}

/** Starts the service on another database, with the clock of the story. */
export function serviceOn(story: LoginStory, database: StoryDatabase): Promise<RunningService> {
  return startService({ args: argsOn(story, database), cwd: story.cwd, nodeArguments: story.clock.nodeArguments });
}

/** A browser with one cookie of another service. */
export function browserWith({ url }: RunningService, name: string, value: string, path: string): HttpClient {
  const browser = new HttpClient(url);
  browser.plant(name, value, path);
  return browser;
}

const TABLES = [
  'account',
  'totp_secret',
  'backup_code',
  'staff_identity',
  'security_event',
  'session',
  'refresh_token',
];

/** All rows of the tables that a restore could change. */
export async function contentOf(database: StoryDatabase): Promise<string> {
  const tables = await Promise.all(TABLES.map((table) => database.query<object>(`SELECT * FROM ${table}`)));
  return JSON.stringify(tables.map((rows) => rows.map((row) => JSON.stringify(row)).sort()));
}
