import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { degraded, failed, Health, type HealthStatus, healthy } from './health.ts';

describe('Health', () => {
  it('is as bad as its worst check of the purpose', async () => {
    const health = new Health();
    expect((await health.report('ready')).state).toBe('ok');
    health.register('cache', 'ready', () => healthy);
    health.register('store', 'ready', () => Promise.resolve(degraded('slow')));
    expect((await health.report('ready')).state).toBe('degraded');
    health.register('server', 'ready', () => failed('does not answer'));
    expect((await health.report('ready')).state).toBe('failed');
    expect((await health.report('live')).state).toBe('ok');
  });

  it('says since when a check is in its state', async () => {
    const clock = new FakeClock(0);
    const health = new Health({ clock });
    let status: HealthStatus = healthy;
    health.register('cache', 'ready', () => status);
    await health.report('ready');
    await clock.advance(5000);
    status = failed('lost');
    expect((await health.report('ready')).checks).toEqual([{ name: 'cache', state: 'failed', reason: 'lost', since: 5000 }]);
    await clock.advance(5000);
    status = failed('still lost');
    expect((await health.report('ready')).checks[0]?.since).toBe(5000);
  });

  it('counts a check that throws, or does not answer, as failed', async () => {
    const clock = new FakeClock();
    const health = new Health({ clock, timeoutMs: 100 });
    health.register('bug', 'live', () => {
      throw new Error('oops');
    });
    health.register('hung', 'live', () => new Promise(() => {}));
    const report = health.report('live');
    await clock.advance(100);
    expect((await report).checks).toMatchObject([
      { name: 'bug', state: 'failed', reason: 'oops' },
      { name: 'hung', state: 'failed', reason: 'did not answer within 100 ms' },
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('shows no credentials that a reason quotes', async () => {
    const health = new Health();
    health.register('store', 'ready', () => failed('connect to postgres://app:SWORDFISH@db/x: refused'));
    expect((await health.report('ready')).checks[0]?.reason).toBe('connect to postgres://[secret]@db/x: refused');
  });

  it('forgets what was registered through a scope when it is cleared', async () => {
    const health = new Health();
    const scope = health.scope('inventory');
    scope.register('cache', 'ready', () => failed('x'));
    const remove = scope.register('queue', 'ready', () => healthy);
    health.register('server', 'ready', () => healthy);
    expect((await health.report('ready')).checks.map((check) => check.name)).toEqual(['inventory/cache', 'inventory/queue', 'server']);
    remove();
    scope.clear();
    expect((await health.report('ready')).checks.map((check) => check.name)).toEqual(['server']);
  });

  it('does not let the one who left take away the check of the one who came after', async () => {
    const health = new Health();
    const remove = health.register('cache', 'ready', () => healthy);
    health.register('cache', 'ready', () => failed('new'));
    remove();
    expect((await health.report('ready')).state).toBe('failed');
  });
});
