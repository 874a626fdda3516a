import { Injectable } from '@nestjs/common';
import { Configuration } from '../../config/configuration.js';
import { KeyName } from '../../config/names/key-name.js';
import type { Client } from '../../identity/client/client.js';
import { ClientsProperties } from '../../identity/client/client.properties.js';
import { Clients } from '../../identity/client/clients.service.js';
import type { ClientUse } from '../../identity/session/client-use.js';
import { ClientUses } from '../../identity/session/client-uses.service.js';
import { TokenProperties } from '../../identity/token/token.properties.js';
import type { ClientCredential, ListedClient } from './listed-client.js';

const CLIENTS = KeyName.parse('app.security.clients');

/** The configured clients and their use. */
@Injectable()
export class ClientDirectory {
  constructor(
    private readonly clients: Clients,
    private readonly configuration: Configuration,
    private readonly uses: ClientUses,
  ) {}

  /** In the order of the configuration. */
  async list(): Promise<readonly ListedClient[]> {
    const uses = await this.uses.list();
    const byId = new Map(uses.map((use) => [use.client_id, use]));
    return this.clients.all.map((client) => this.listed(client, byId.get(client.id)));
  }

  private listed(client: Client, use: ClientUse | undefined): ListedClient {
    const { accessLifetime = this.configuration.get(TokenProperties).accessLifetime.seconds } = client;
    return {
      ...{ client, accessLifetime, credentials: this.credentialsOf(client), sources: this.sourcesOf(client) },
      sessions: use?.number ?? 0,
      ...(use && { lastUsedAt: use.last_used_at }),
    };
  }

  private credentialsOf({ id }: Client): readonly ClientCredential[] {
    const { secret, keys = [] } = this.configuration.get(ClientsProperties).clients.get(id) ?? {};
    const found: readonly ClientCredential[] = [
      ...(secret === undefined ? [] : (['client_secret'] as const)),
      ...(keys.length === 0 ? [] : (['private_key_jwt'] as const)),
    ];
    return found.length === 0 ? ['none'] : found;
  }

  private sourcesOf({ id }: Client): readonly string[] {
    const key = CLIENTS.append(id);
    const { sources } = this.configuration.environment;
    return sources.filter((source) => source.below(key).length > 0).map(({ name }) => name);
  }
}
