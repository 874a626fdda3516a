/** The minimal environment that starts the service with profile `prod` on an embedded database. */
export const PROD = {
  APP_PROFILES_ACTIVE: 'prod',
  DB_URL: 'jdbc:sqlite:./prod.db',
  DB_USERNAME: 'login',
  DB_PASSWORD: 'hunter2',
  PUBLIC_URL: 'https://login.example.com',
  SEAL_KEY: 'YJqqm0iDQooSq2V7hFAeW+/hxYGkL90MWmpmB8cXjcY=',
  BACKUP_CODE_PEPPER: 'hunter2 hunter2 hunter2 hunter2 hunter2',
  TZ: 'UTC',
};
