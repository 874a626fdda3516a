import { Module } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Configuration } from '../../config/configuration.js';
import { signsUsersIn } from '../client/client.js';
import { ClientModule } from '../client/client.module.js';
import { Clients } from '../client/clients.service.js';
import { EventsModule } from '../events/events.module.js';
import { TasksModule } from '../../platform/tasks/tasks.module.js';
import { AccessTokens } from './access-tokens.service.js';
import { ConfiguredKeys } from './keys/configured-keys.js';
import { KeyPolicy } from './keys/key-policy.service.js';
import { KeyRotation } from './keys/key-rotation.service.js';
import { MfaTokens } from './mfa-tokens.service.js';
import { SessionModule } from '../session/session.module.js';
import { SigningKeyLoader, SigningKeyRefresh } from './keys/signing-key-refresh.task.js';
import { SigningKeyStore } from './keys/signing-key.store.js';
import { SigningKeys } from './keys/signing-keys.js';
import { TokenProperties } from './token.properties.js';

const configuredKeys = {
  provide: ConfiguredKeys,
  inject: [TokenProperties, Configuration],
  useFactory: (properties: TokenProperties, configuration: Configuration): ConfiguredKeys =>
    new ConfiguredKeys(properties, (key) => configuration.originOf(key)),
};

/** ID tokens are signed only if there are clients that users sign in to. */
const keyPolicy = {
  provide: KeyPolicy,
  inject: [TokenProperties, Clients],
  useFactory: (properties: TokenProperties, { all }: Clients): KeyPolicy =>
    new KeyPolicy(properties, new Set(all.filter(signsUsersIn).map(({ idTokenAlgorithm }) => idTokenAlgorithm))),
};

const signingKeys = {
  provide: SigningKeys,
  inject: [ConfiguredKeys, Clock],
  useFactory: (configured: ConfiguredKeys, clock: Clock): SigningKeys => new SigningKeys(configured, clock),
};

/** Access tokens, MFA tokens, and the keys that sign them. */
@Module({
  imports: [ClientModule, EventsModule, SessionModule, TasksModule],
  providers: [
    ...[configuredKeys, keyPolicy, SigningKeyStore, KeyRotation, signingKeys, SigningKeyLoader, SigningKeyRefresh],
    ...[MfaTokens, AccessTokens],
  ],
  exports: [MfaTokens, AccessTokens, SigningKeys, KeyRotation],
})
export class TokenModule {}
