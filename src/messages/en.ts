/** English: the reference for all other languages. A text with parts is a function of them. */
export const en = {
  /** BCP 47 tag of the language, for `lang` attributes and for the formats of `Intl`. */
  tag: 'en',
  /** Name of the language in itself. */
  languageName: 'English',

  common: {
    skip: 'Skip to content',
    navigation: 'Main',
    language: 'Language',
    help: 'Help',
    home: 'Home',
    security: 'Account security',
    administration: 'Administration',
    signIn: 'Sign in',
    signOut: 'Sign out',
    continue: 'Continue',
    cancel: 'Cancel',
    back: 'Back',
    save: 'Save',
    copy: 'Copy',
    copied: 'Copied',
    print: 'Print',
    show: 'Show',
    hide: 'Hide',
    username: 'Username',
    password: 'Password',
    newPassword: 'New password',
    reference: (code: string, requestId: string) => `For support: ${code}, request ${requestId}`,
    tryAgainIn: (seconds: number) => `Try again in ${wait(seconds)}.`,
    contact: (contact: string) => `Contact: ${contact}`,
  },

  /** Texts for users about each error code: what happened, and what to do now. */
  errors: {
    VALIDATION_FAILED: 'Some of the input is not valid. Check it and try again.',
    INVALID_CREDENTIALS: 'Wrong username or password.',
    MFA_TOKEN_INVALID: 'This sign-in has expired. Start again.',
    MFA_CODE_INVALID: 'This code is wrong or was already used. Enter another code.',
    MFA_LOCKED: 'There were too many wrong codes. Sign-in with a code is locked for a while.',
    RATE_LIMITED: 'There were too many attempts. Wait a moment and try again.',
    INVALID_TOKEN: 'You are not signed in, or your sign-in has expired. Please sign in to continue.',
    MFA_REQUIRED: 'This step is not available before your sign-in is complete.',
    PASSWORD_CHANGE_REQUIRED: 'Your password is temporary. Enter it again and choose a new one.',
    ACCESS_DENIED: 'You do not have permission to do this.',
    STEP_UP_REQUIRED: 'Please confirm again that it is you.',
    REFRESH_INVALID: 'Your sign-in has expired. Please sign in again.',
    LINK_INVALID: 'This link has expired or was already used. Request a new one.',
    MFA_STATE_CONFLICT: 'This setup step has expired. Start again.',
    CONFLICT: 'This is not possible at the moment: something has changed meanwhile. Reload the page and try again.',
    CROSS_SITE: 'We could not verify this form. Open the page again over https and try again.',
    PAYLOAD_TOO_LARGE: 'This is too large.',
    NOT_FOUND: 'This page does not exist. Check the address, or go to the home page.',
    METHOD_NOT_ALLOWED: 'This page cannot be opened this way. Go to the home page.',
    NOT_ACCEPTABLE: 'This page is not available in the requested format.',
    UNSUPPORTED_MEDIA_TYPE: 'We could not read this form. Open the page again and try again.',
    SAML_RESPONSE_INVALID: 'The sign-in through your organisation was not accepted. Try again.',
    SAML_MFA_MISSING:
      'Your organisation did not confirm a second factor. Sign in there with a second factor and try again.',
    SAML_USER_NOT_ALLOWED: 'Your account may not sign in here. Ask your administrator.',
    UNAVAILABLE: 'The service is not available at the moment. Try again in a moment.',
    INTERNAL_ERROR: 'The service could not do this because of an error. Try again later.',
  },

  problem: {
    title: 'Something went wrong',
    titleNotFound: 'Page not found',
    titleSignIn: 'Please sign in',
    titleDenied: 'No permission',
    titleLocked: 'Sign-in is locked',
    toHome: 'Go to the home page',
  },

  signIn: {
    title: 'Sign in',
    temporaryPassword: 'Temporary password',
    titleChange: 'Choose a new password',
    submitChange: 'Save and sign in',
    forgot: 'Forgot your password?',
    or: 'or',
    with: (organisation: string) => `Continue with ${organisation}`,
    unfinished: (name: string) => `You have started to sign in as ${name}.`,
    finish: 'Continue this sign-in',
    plainHttp: {
      title: 'Sign-in problem',
      what: 'This address needs https. Your browser does not keep the cookies of this page over http, so you cannot sign in here.',
      openWithHttps: 'Open it with https:// in front and try again.',
      openLink: 'Open this address instead:',
    },
  },

  newPassword: {
    hint: (length: number) => `At least ${length} characters. A few unrelated words work well.`,
    too_short: (length: number) => `The new password is too short. Use at least ${length} characters.`,
    too_long: 'The new password is too long. Choose a shorter one.',
    too_common: 'The new password is one of the most common passwords. Choose another one.',
    same_as_id: 'The new password must differ from the username.',
    same_as_temporary: 'The new password must differ from the temporary one.',
    malformed: 'The new password has characters that cannot be used. Choose another one.',
    unexpected: 'Your password is not temporary and was not changed. Sign in with it.',
  },

  verify: {
    title: 'Enter your code',
    titleStepUp: 'Confirm that it is you',
    methods: 'How to confirm',
    totp: 'Authenticator app',
    backupCode: 'Backup code',
    totpIntro: 'Open your authenticator app and enter the six digits it shows for this account.',
    totpLabel: 'Six-digit code',
    backupIntro: 'Enter one of the ten backup codes you saved. Each works once.',
    backupLabel: 'Backup code',
    anyLabel: 'Code of your authenticator app, or a backup code',
    submit: 'Continue',
    trustDevice: (days: number) => `Do not ask for a code in this browser for ${days} days`,
    other: 'Use another account',
    lost: 'Lost your phone and your backup codes? Ask your help desk to reset your second factor.',
    elsewhere: 'You have no authenticator app here. Confirm your second factor at your organisation to continue.',
    again: (organisation: string) => `Sign in again with ${organisation}`,
  },

  lock: {
    title: 'Sign-in is locked',
    what: 'There were too many wrong codes for this account. To protect it, codes are not accepted for now, not even correct ones.',
    left: 'Time left',
    until: (seconds: number) => `You can try again in ${wait(seconds)}.`,
    retry: 'Try again',
    byAdministrator: 'Only an administrator or the help desk can unlock this account.',
    notMe: 'If these attempts were not yours, somebody may know your password. Change it as soon as you can.',
  },

  setup: {
    title: 'Set up your authenticator app',
    step: (number: number, of: number) => `Step ${number} of ${of}`,
    intro:
      'To protect your account, sign-in asks for a code from an app on your phone, besides your password. You need an authenticator app such as Google Authenticator, Microsoft Authenticator or 2FAS.',
    introReplace:
      'Set up an authenticator app on your new phone. Your present app works until you have confirmed the new one.',
    begin: 'Begin',
    beginAgain: 'Begin again',
    otherPending:
      'Another sign-in of yours has begun this setup. It can be finished there only. If you begin again here, the QR code shown there stops working: remove that entry from your app.',
    titleScan: 'Connect your app',
    scan: 'Scan this QR code with your authenticator app.',
    qrAlt: 'QR code for your authenticator app',
    openApp: 'Open in authenticator app',
    onPhone: 'On this phone?',
    cannotScan: 'Cannot scan the code?',
    typeKey: 'Type this key into the app:',
    copyKey: 'Copy key',
    enter: 'Then enter the six digits that the app shows.',
    codeLabel: 'Six-digit code',
    confirm: 'Confirm',
    hiddenSecret: 'Enter the six digits that your authenticator app shows now.',
    timeLeft: 'Your progress is kept for ten minutes, also if you reload or close this page.',
    again: 'Sign in again',
    enterCode: 'Enter a code of your authenticator app',
    notDone: 'Not now? Sign out',
  },

  codes: {
    title: 'Save your backup codes',
    done: 'Your authenticator app is set up.',
    intro:
      'If you lose your phone, you can sign in with one of these codes. Each works once. Keep them somewhere safe, not on the same phone. This page does not show them again.',
    replaced: 'Earlier backup codes no longer work.',
    list: 'Backup codes',
    download: 'Download',
    fileName: 'backup-codes.txt',
    fileHeading: (service: string, user: string) => `Backup codes of ${user} for ${service}`,
    saved: 'I saved them',
  },

  home: {
    title: (name: string) => `Hello, ${name}`,
    account: 'Your sign-in',
    signedInAs: 'Signed in as',
    how: 'How',
    when: 'Since',
    secondFactorAt: 'Code confirmed',
    withPassword: 'With your password',
    withTotp: 'With your password and a code of your authenticator app',
    withBackupCode: 'With your password and a backup code',
    through: (organisation: string) => `Through ${organisation}`,
    throughMfa: (organisation: string) => `Through ${organisation}, with a second factor`,
    secure: 'Your account',
    secureActive: 'Two-step sign-in is on.',
    secureNone: 'Two-step sign-in is off. Protect your account with an authenticator app.',
    setUp: 'Set up an authenticator app',
    codesLow: (count: number) => `Only ${count} backup ${count === 1 ? 'code is' : 'codes are'} left.`,
    newCodes: 'Get new backup codes',
    manage: 'Manage account security',
    half: 'Your sign-in is not complete yet.',
    halfTitle: 'Almost there',
    policyFrom: (days: number) =>
      days <= 1
        ? 'From tomorrow on, you need an authenticator app to sign in.'
        : `In ${days} days, you will need an authenticator app to sign in.`,
  },

  account: {
    title: 'Account security',
    secondFactor: 'Two-step sign-in',
    on: 'On',
    off: 'Off',
    onSince: 'Authenticator app set up',
    codesLeft: (count: number) => `${count} of 10 backup codes left`,
    codesLow: 'Low',
    required: 'Your organisation requires two-step sign-in for your account.',
    replace: 'Replace authenticator app',
    newCodes: 'Get new backup codes',
    turnOff: 'Turn off',
    setUp: 'Set up an authenticator app',
    offText: 'Only your password protects your account. With an authenticator app, a stolen password is not enough.',
    atOrganisation: (organisation: string) => `${organisation} checks your second factor when you sign in.`,
    password: 'Password',
    changePassword: 'Change password',
    passwordText: 'Change your password if somebody else may know it.',
    sessions: 'Where you are signed in',
    thisSession: 'This browser',
    otherSession: 'Application',
    lastUsed: 'Last used',
    endSession: 'Sign out',
    endOthers: 'Sign out everywhere else',
    devices: 'Trusted browsers',
    devicesText: 'These browsers are not asked for a code.',
    until: 'Until',
    forget: 'Ask for a code again',
    activity: 'Activity',
    activityText: 'See sign-ins and changes of your account.',
    showActivity: 'Show activity',
    language: 'Language of pages and mails',
    unknownBrowser: 'Unknown browser',
    browserOn: (browser: string, system: string) => `${browser} on ${system}`,
    done: {
      password: 'Your password is changed. You are signed out everywhere else.',
      session: 'The session is ended.',
      sessions: 'You are signed out everywhere else.',
      device: 'This browser will be asked for a code again.',
      off: 'Two-step sign-in is turned off.',
      language: 'The language is saved.',
    },
  },

  passwordChange: {
    title: 'Change password',
    current: 'Current password',
    wrongCurrent: 'The current password is wrong.',
    submit: 'Change password',
    effect: 'You will be signed out on all other devices.',
    staff: 'Your password is kept at your organisation. Change it there.',
  },

  newCodes: {
    title: 'Get new backup codes',
    text: 'You get ten new backup codes. All earlier ones stop working.',
    submit: 'Create new codes',
  },

  turnOff: {
    title: 'Turn off two-step sign-in',
    text: 'After this, your password alone opens your account. Your authenticator app entry and all backup codes stop working.',
    submit: 'Turn off',
    keep: 'Keep it on',
  },

  activity: {
    title: 'Activity',
    text: 'If you do not recognize something, change your password and sign out everywhere else.',
    when: 'When',
    what: 'What',
    where: 'From',
    none: 'Nothing has been recorded yet.',
    older: 'Older',
    newest: 'Newest',
    refused: 'Refused',
    kinds: {
      LOGIN_PASSWORD_OK: 'Password accepted',
      LOGIN_PASSWORD_FAILED: 'Wrong password',
      MFA_CHALLENGED: 'Code requested',
      MFA_OK: 'Signed in with a code',
      MFA_FAILED: 'Wrong code',
      MFA_REPLAY: 'Code used a second time',
      MFA_LOCKED: 'Account locked after wrong codes',
      MFA_UNLOCKED: 'Account unlocked',
      MFA_SETUP: 'Setup of an authenticator app begun',
      MFA_CONFIRMED: 'Authenticator app set up',
      MFA_DISABLED: 'Two-step sign-in turned off',
      MFA_RESET_BY_ADMIN: 'Second factor reset by an administrator',
      BACKUP_USED: 'Backup code used',
      BACKUP_REISSUED: 'New backup codes created',
      BACKUP_LOW: 'Few backup codes left',
      TOKEN_REFRESHED: 'Session of an application continued',
      TOKEN_REUSE: 'Session ended because its key was used twice',
      SESSION_REVOKED: 'Session ended',
      DEVICE_TRUSTED: 'Browser trusted',
      DEVICE_REVOKED: 'Browser no longer trusted',
      NEW_DEVICE: 'Signed in with a new browser',
      STEP_UP_OK: 'Confirmed with a code',
      SAML_OK: 'Signed in through your organisation',
      SAML_REJECTED: 'Sign-in through your organisation rejected',
      PASSWORD_CHANGED: 'Password changed',
      PASSWORD_RESET: 'Password reset',
      USER_CREATED: 'Account created',
      USER_CHANGED: 'Account changed by an administrator',
      USER_INVITED: 'Invitation sent',
      INVITATION_ACCEPTED: 'Invitation accepted',
      NOT_ME_REPORTED: 'Reported as not you',
      USER_EXPORTED: 'Data of the account exported by an administrator',
    } as Readonly<Record<string, string>>,
  },

  forgot: {
    title: 'Forgot your password?',
    text: 'Enter your username. We mail you a link to choose a new password.',
    submit: 'Send link',
    titleSent: 'Check your mail',
    sent: 'If there is an account with this username and a mail address, we have sent a link. It works once, for 15 minutes.',
    notArrived: 'No mail after a few minutes? Check your spam folder, then ask your help desk.',
    toSignIn: 'Back to sign-in',
    again: 'Request a new link',
  },

  linkInvalid: {
    title: 'This link no longer works',
    ask: 'Ask your help desk if you still need it.',
  },

  /** The pages of mailed links. */
  links: {
    reset: {
      title: 'Choose a new password',
      text: (user: string) =>
        `Choose a new password for ${user}. You will be signed out on all devices; your authenticator app stays as it is.`,
      submit: 'Save password',
      done: 'Your new password is saved. Sign in with it now.',
    },
    invitation: {
      title: 'Welcome',
      text: (user: string) => `Choose a password for your new account ${user}. After that, you sign in with it.`,
      submit: 'Save password',
      done: 'Your password is saved. Sign in with it now.',
    },
    unlock: {
      title: 'Unlock your account',
      text: (user: string) =>
        `This ends the lock of the account ${user}. Unlock it only if the wrong codes were yours.`,
      submit: 'Unlock account',
      done: 'Your account is unlocked. You can sign in now.',
    },
    notMe: {
      title: 'This was not you?',
      text: (user: string) =>
        `We sign out the account ${user} on all devices, and its present password stops working. You get a mail with a link to choose a new password.`,
      submit: 'Protect my account',
      done: 'Your account is signed out everywhere, and the old password no longer works. We have sent you a mail with a link to choose a new password.',
    },
  },

  signedOut: {
    title: 'Signing out',
    what: 'You are signed out here. Continue to sign out at your organisation as well.',
    toIdp: 'To your organisation',
  },

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

/** All texts for users, in pages and mails, in one language. */
export type Messages = typeof en;

/** A wait in words: seconds up to two minutes, then minutes. */
function wait(seconds: number): string {
  const isLong = seconds >= 120;
  const count = isLong ? Math.ceil(seconds / 60) : seconds;
  const unit = isLong ? 'minute' : 'second';
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
