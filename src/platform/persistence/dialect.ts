export type Dialect = 'mysql' | 'mariadb' | 'sqlite';

/** The dialect that a JDBC URL (by its scheme) or the name of a dialect class means. */
export function dialectOf(text: string): Dialect {
  const name = /^jdbc:[a-z]+/.exec(text)?.[0] ?? text;
  if (/sqlite/i.test(name)) return 'sqlite';
  return /mariadb/i.test(name) ? 'mariadb' : 'mysql';
}

/** MySQL and MariaDB understand each other's dialect, as far as this service uses it. */
export function fits(dialect: Dialect, other: Dialect): boolean {
  return (dialect === 'sqlite') === (other === 'sqlite');
}
