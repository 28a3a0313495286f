import { describe, expect, it } from 'vitest';
import { busSettings } from './bus-settings.ts';

const problemsOf = (values: object) => busSettings.check(busSettings.schema.parse(values));
const user = { 'nats-user': 'u', 'nats-password-file': '/p' };
const token = { 'nats-token-file': '/t' };

describe('credentials for NATS', () => {
  it.each([
    [{ ...user, 'nats-servers': ['nats://bus.example:4222'] }],
    [{ ...token, 'nats-servers': ['bus.example:4222'] }],
    [{ ...token, 'nats-servers': ['nats://127.0.0.1:4222', 'nats://192.0.2.1:4222'] }],
  ])('are not sent in plain text to another machine: %j', (values) => {
    expect(problemsOf(values)).toMatchObject([{ key: 'nats-servers', message: expect.stringContaining('must be tls://') }]);
  });

  it.each([
    [{ ...user, 'nats-servers': ['tls://bus.example:4222'] }],
    [{ ...token, 'nats-servers': ['nats://bus.example:4222'], 'nats-ca-file': '/ca' }],
    [{ ...token, 'nats-servers': ['nats://127.0.0.1:4222', 'localhost:4222', 'nats://[::1]:4222'] }],
    [{ 'nats-servers': ['nats://bus.example:4222'] }],
  ])('may be sent, or there are none: %j', (values) => {
    expect(problemsOf(values)).toEqual([]);
  });

  it.each(['nats://u:hush@bus.example:4222', 'hush@127.0.0.1'])('have no place in a URL, and are not repeated: %s', (server) => {
    const { error } = busSettings.schema.safeParse({ 'nats-servers': [server] });
    expect(error?.issues).toMatchObject([{ message: expect.stringContaining('must not hold credentials: use nats-user') }]);
    expect(String(error)).not.toContain('hush');
  });
});
