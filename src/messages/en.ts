/** English: the reference for all other languages. A text with parts is a function of them. */
export const en = {
  /** BCP 47 tag of the language, for `lang` attributes and for the formats of `Intl`. */
  tag: 'en',
  /** Name of the language in itself. */
  languageName: 'English',

  /** Mails about what happened to an account. */
  notices: {
    subject: (service: string, title: string): string => `${service}: ${title}`,
    account: 'Account',
    time: 'Time',
    address: 'Address',
    browser: 'Browser',
    /** A browser and its operating system. */
    browserOn: (browser: string, system: string): string => `${browser} on ${system}`,
    unknown: 'unknown',
    by: 'Done by',
    administrator: 'an administrator',
    notMe:
      'If this was not you, open the following page. It signs you out everywhere and asks for a new password at your next sign-in.',
    notMeLink: 'This was not me',
    /** For an account that gets no link, such as a disabled one. */
    notMeContact: 'If this was not you, contact your administrator.',
    unlock: (minutes: number): string =>
      `If you entered the codes yourself, you can unlock your account now. The link works once, for ${minutes} minutes.`,
    unlockLink: 'Unlock my account',
    /** If the lock has ended before the mail was sent. */
    unlocked: 'The lock has ended in the meantime.',
    footer: (service: string): string => `This is an automatic mail from ${service}. Please do not reply to it.`,
    kinds: {
      'mfa-on': {
        title: 'Two-factor authentication is on',
        text: 'An authenticator app was set up for your account. From now on, you need a code from the app to sign in.',
      },
      'mfa-off': {
        title: 'Two-factor authentication is off',
        text: 'Two-factor authentication was turned off for your account. Your password alone is now enough to sign in.',
      },
      'mfa-reset': {
        title: 'Two-factor authentication was reset',
        text: 'An administrator removed the authenticator app and the backup codes of your account. You set up a new app at your next sign-in.',
      },
      'codes-reissued': {
        title: 'New backup codes',
        text: 'New backup codes were created for your account. All earlier backup codes are invalid.',
      },
      'code-used': {
        title: 'A backup code was used',
        text: 'Someone signed in to your account with one of your backup codes.',
      },
      locked: {
        title: 'Your account is locked',
        text: 'Too many wrong codes were entered, so your account accepts no codes for a while. Whoever entered them knows your password. If it was not you, change your password.',
      },
      'new-device': {
        title: 'Sign-in with a new browser',
        text: 'Someone signed in to your account with a browser that was not used for it before.',
      },
      'password-changed': {
        title: 'Your password was changed',
        text: 'The password of your account was changed.',
      },
      'password-reset': {
        title: 'Your password was reset',
        text: 'A new password was set for your account.',
      },
      'token-reuse': {
        title: 'A session was ended',
        text: 'We ended a session of your account because its sign-in data was used twice. Someone may have copied it. Sign in again to continue.',
      },
    },
    codesLeft: (count: number): string =>
      count === 1 ? 'You have 1 unused backup code left.' : `You have ${count} unused backup codes left.`,
    codesLow: 'Sign in and create new backup codes soon, so that you are not locked out without your phone.',
  },

  /** Mails with links that let users into their account. */
  recovery: {
    'password-reset': {
      title: 'Choose a new password',
      text: 'Someone asked for a new password for your account. To choose one, open the following page within 15 minutes. The link works once. Your one-time codes stay as they are.',
      link: 'Choose a new password',
      more: 'If you did not ask for this, ignore this mail: your password stays as it is.',
    },
    'password-reset-by-not-me': {
      title: 'Your account is protected',
      text: 'You reported that someone else used your account. We signed out all devices, and the old password no longer works. To choose a new password, open the following page within 15 minutes. The link works once.',
      link: 'Choose a new password',
      more: 'If the link has expired, ask for another one on the sign-in page. Do not use the old password again, here or anywhere else.',
    },
    invitation: {
      title: 'Your new account',
      text: 'An account was created for you. To choose your password, open the following page. The link works once.',
      link: 'Choose your password',
      more: 'After that, sign in with your username and the new password. You will then set up an authenticator app on your phone.',
    },
    /** Label of the login id. */
    username: 'Username',
    /** Label of the time when the link expires. */
    validUntil: 'Valid until',
  },
};
