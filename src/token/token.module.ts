import { Module } from '@nestjs/common';
import { Configuration } from '../config/configuration.js';
import { originChain } from '../config/read/origin.js';
import { one } from '../config/read/profiles.js';
import { EventsModule } from '../events/events.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { AccessTokens } from './access-tokens.service.js';
import { Clients } from './clients.service.js';
import { ConfiguredKeys } from './keys/configured-keys.js';
import { ExpiryStore } from '../persistence/expiry.store.js';
import { ExpirySweep } from '../persistence/expiry-sweep.task.js';
import { Issuer } from './issuer.service.js';
import { KeyRotation } from './keys/key-rotation.service.js';
import { MfaTokens } from './mfa-tokens.service.js';
import { RefreshTokens } from '../session/refresh-tokens.service.js';
import { RefreshTokenStore } from '../session/refresh-token.store.js';
import { SealedKeys } from './keys/sealed-keys.service.js';
import { SealedSuccessors } from '../session/sealed-successors.task.js';
import { SessionRows } from '../session/session-rows.service.js';
import { SessionStore } from '../session/session.store.js';
import { Sessions } from '../session/sessions.service.js';
import { SigningKeyRefresh } from './keys/signing-key-refresh.task.js';
import { SigningKeyStore } from './keys/signing-key.store.js';
import { SigningKeys } from './keys/signing-keys.service.js';
import { TokenProperties } from './token.properties.js';
import { UsedMfaTokenStore } from './used-mfa-token.store.js';
import { WellKnownController } from '../auth/api/well-known.controller.js';

const configuredKeys = {
  provide: ConfiguredKeys,
  inject: [TokenProperties, Configuration],
  useFactory: (properties: TokenProperties, { environment, registry }: Configuration): ConfiguredKeys =>
    new ConfiguredKeys(properties, (key) => {
      const [assignment] = one(environment, registry, key).assignments;
      return assignment ? originChain(assignment.origin) : 'default value';
    }),
};

/** Tokens, the keys that sign them, and the sessions behind them. */
@Module({
  imports: [EventsModule, TasksModule],
  controllers: [WellKnownController],
  providers: [
    ...[SessionStore, RefreshTokenStore, UsedMfaTokenStore, SigningKeyStore, ExpiryStore],
    ...[SessionRows, SealedSuccessors, RefreshTokens, Sessions],
    ...[configuredKeys, SealedKeys, KeyRotation, SigningKeys, SigningKeyRefresh],
    ...[Issuer, MfaTokens, AccessTokens, Clients, ExpirySweep],
  ],
  exports: [Sessions, MfaTokens, AccessTokens, SigningKeys, KeyRotation, Issuer, Clients],
})
export class TokenModule {}
