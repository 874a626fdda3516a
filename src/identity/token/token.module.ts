import { Module } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Configuration } from '../../config/configuration.js';
import { EventsModule } from '../events/events.module.js';
import { TasksModule } from '../../platform/tasks/tasks.module.js';
import { AccessTokens } from './access-tokens.service.js';
import { Clients } from './clients.service.js';
import { ConfiguredKeys } from './keys/configured-keys.js';
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

const signingKeys = {
  provide: SigningKeys,
  inject: [ConfiguredKeys, Clock],
  useFactory: (configured: ConfiguredKeys, clock: Clock): SigningKeys => new SigningKeys(configured, clock),
};

/** Access tokens, MFA tokens, and the keys that sign them. */
@Module({
  imports: [EventsModule, SessionModule, TasksModule],
  providers: [
    ...[configuredKeys, SigningKeyStore, KeyRotation, signingKeys, SigningKeyLoader, SigningKeyRefresh],
    ...[MfaTokens, AccessTokens, Clients],
  ],
  exports: [MfaTokens, AccessTokens, SigningKeys, KeyRotation, Clients],
})
export class TokenModule {}
