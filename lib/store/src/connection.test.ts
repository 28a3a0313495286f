import { describe, expect, it } from 'vitest';
import { checkUrl, connectionConfig } from './connection.ts';

const base = 'postgresql://user:canary@db.example.com:5432/quartermaster';
const stringOf = (url: string): string | undefined =>
  connectionConfig({ url }, { statementTimeoutMs: 0, idleInTransactionMs: 0 }).connectionString;

describe('the URL of a database', () => {
  it.each([
    base,
    `${base}?sslmode=disable`,
    `${base}?sslmode=verify-full&sslrootcert=system`,
    'postgresql://user@/db?host=/run/postgresql',
  ])('may be %s', (url) => {
    expect(() => checkUrl(url)).not.toThrow();
  });

  it.each([
    ['mysql://user:canary@host/db', 'must look like postgresql://'],
    [`${base}?sslmode=bogus`, 'sslmode of the database URL must be one of disable, prefer, require, verify-ca, verify-full, no-verify'],
    [`${base}?sslmode=verify-full&sslrootcert=/does/not/exist.pem`, 'sslrootcert of the database URL cannot be read: ENOENT'],
  ])('is refused at once, without its password, when it is %s', (url, message) => {
    let failure: unknown;
    try {
      checkUrl({ reveal: () => url });
    } catch (thrown) {
      failure = thrown;
    }
    expect(failure).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(message) });
    expect(String(failure)).not.toContain('canary');
  });

  it('asks for a verified certificate wherever it asks for TLS, unless it says no-verify', () => {
    for (const mode of ['prefer', 'require', 'verify-ca']) {
      expect(stringOf(`${base}?sslmode=${mode}&sslrootcert=system`)).toBe(`${base}?sslmode=verify-full&sslrootcert=system`);
    }
    for (const kept of ['?sslmode=no-verify', '?sslmode=disable', '?uselibpqcompat=true&sslmode=require', '']) {
      expect(stringOf(`${base}${kept}`)).toBe(`${base}${kept}`);
    }
  });
});
