import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { Configuration } from '../../../config/configuration.js';
import { ConfigurationFailure, type Problem, problem } from '../../../config/problem.js';
import type { Client } from '../../../identity/client/client.js';
import { ClientsProperties } from '../../../identity/client/client.properties.js';
import { pemFile } from '../../../identity/token/keys/configured-keys.js';
import { keyOfPem, type UsableKey } from '../../../identity/token/keys/key-material.js';

/** The public keys with which clients authenticate (RFC 7523). */
@Injectable()
export class ClientKeys {
  private readonly byClient: ReadonlyMap<string, readonly UsableKey[]>;

  /** @throws ConfigurationFailure with all keys that cannot be used */
  constructor({ clients }: ClientsProperties, configuration: Configuration) {
    const problems: Problem[] = [];
    this.byClient = new Map(
      Array.from(clients, ([id, { keys }]) => {
        const key = `app.security.clients.${id}.keys`;
        return [id, keys.flatMap((location) => readKey(location, key, configuration.originOf(key), problems))] as const;
      }),
    );
    if (problems.length > 0) throw new ConfigurationFailure(problems);
  }

  of({ id }: Client): readonly UsableKey[] {
    return this.byClient.get(id) ?? [];
  }
}

function readKey(location: string, key: string, origin: string, problems: Problem[]): readonly UsableKey[] {
  try {
    const file = pemFile(location);
    const found = keyOfPem(file === undefined ? location : readFileSync(file, 'utf8'));
    if (found.sign) throw new Error('it is a private key, which only the client may have');
    return [found];
  } catch (error) {
    // System messages contain paths, and messages of the cryptography library its internals; the code is enough.
    const { code, message } = error as NodeJS.ErrnoException;
    const action = `Set ${key} to PEM files or texts: EC keys on P-256, Ed25519 keys, or RSA keys of 2048 bits or more.`;
    const reason = code === undefined ? message : `it cannot be read as a key in PEM form (${code})`;
    problems.push(problem(`A key of ${key} cannot be used`, action, { Property: key, Origin: origin, Reason: reason }));
    return [];
  }
}
