import 'reflect-metadata';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { expect, it } from 'vitest';
import { AppModule } from '../src/app.module.js';

interface Named {
  readonly name: string;
}
const named = (each: unknown): string => (each as Named).name;
const metadataOf = (module: object, key: string): readonly unknown[] =>
  (Reflect.getMetadata(key, module) as readonly unknown[] | undefined) ?? [];

/** Every module behind another, by its name. */
function modulesBehind(module: object, found = new Map<string, object>()): ReadonlyMap<string, object> {
  for (const each of metadataOf(module, MODULE_METADATA.IMPORTS)) {
    const imported = ((each as { readonly module?: object }).module ?? each) as object;
    if (found.has(named(imported))) continue;
    found.set(named(imported), imported);
    modulesBehind(imported, found);
  }
  return found;
}

it.each([
  [
    'AuthModule',
    [
      ...[
        'AccessTokenStrategy',
        'AuthCookies',
        'ChangeAuthorization',
        'CredentialWriter',
        'EnrolmentConfirmation',
        'MfaTokenStrategy',
      ],
      ...['OperatorCredentials', 'OwnEnrolment', 'OwnPasskeys', 'OwnPassword', 'OwnSecondFactor', 'PasskeyStep'],
      ...['PortalLogin', 'Reauthentication', 'RequestAuthenticator', 'SecondStep', 'ServerMetadata'],
      'SessionCookieStrategy',
      'SessionRevocation',
    ],
  ],
  [
    'MfaModule',
    [
      ...['AccessCodeAttempts', 'AccessCodes', 'AttemptBudget', 'BackupCodeModule', 'EnrolledAuthenticators'],
      ...['Enrolment', 'ImportedTotps', 'LockedAccounts', 'MfaPolicy', 'PasskeyCeremonies', 'PasskeyRegistrations'],
      ...['PasskeySetup', 'PasskeySignIn', 'PasskeyUse', 'PendingSecrets', 'RelyingParty', 'SecondFactorSetup'],
      ...['SecondFactors', 'SignInChallenges', 'TotpSecrets', 'TrustedDeviceList', 'TrustedDevices'],
    ],
  ],
  ['BackupCodeModule', ['BackupCodes', 'PepperUses', 'ShownBackupCodes']],
  ['SamlModule', ['Idps', 'ReturnTargets', 'SpInitiatedLogout']],
  ['ManagementModule', ['HealthPaths', 'ManagementListener', 'MountedRoutes', 'ShutdownTrigger']],
])('%s is a module of the service, and exports what other modules use', (name, exported) => {
  const module = modulesBehind(AppModule).get(name);

  expect(module).toBeDefined();
  expect(
    metadataOf(module ?? {}, MODULE_METADATA.EXPORTS)
      .map(named)
      .sort(),
  ).toEqual(exported);
});
