import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { ClaimServer, type Gate, ShownClaims } from '../../test/claim-server.ts';
import type { LeaseId } from '../model/lease.ts';
import { ingressHost } from '../objects/ingress-host.ts';
import { ClaimStore } from './claim-store.ts';
import type { HostnameClaims, WantedHostname } from './hostname-book.ts';
import { hostnameRules } from './hostname-rules.ts';

const coolDownMs = 600_000;
const never = new AbortController().signal;
const lease = (owner: string, dseq = 1): LeaseId => ({ owner, dseq: BigInt(dseq), gseq: 1, oseq: 1, provider: 'p' });
const want = (hostname: string, service = 'web'): WantedHostname => ({ hostname, service, externalPort: 80, isStatic: false });

function world({ namesPerOwner = 500 } = {}) {
  const server = new ClaimServer();
  const time = { now: 1_000_000 };
  const clock = { now: () => time.now };
  const rules = hostnameRules({ blocked: ['.blocked.org'], ingressDomain: 'apps.example.net', publicHostname: '' });
  const process = (gate?: Gate) => {
    const client = server.client(gate);
    const shown = new ShownClaims(server);
    shown.show();
    const store = new ClaimStore({ reader: client, caches: shown.caches, rules, coolDownMs, namesPerOwner, clock });
    return { store, shown, claims: store.claimsBy(client) };
  };
  return { server, time, process };
}

const states = async (claims: HostnameClaims, of: LeaseId, ...hostnames: string[]): Promise<string> => {
  const grants = await claims.reserve(
    of,
    hostnames.map((hostname) => want(hostname)),
    never,
  );
  return grants.map(({ state, code }) => (state === 'held' ? state : `${state} ${code}`)).join();
};

describe('reserving hostnames', () => {
  it('makes a name the lease’s, in one form, and costs nothing the next time', async () => {
    const { server, process } = world();
    const { store, claims } = process();
    expect(await states(claims, lease('alice'), 'WWW.Bücher.example.com')).toBe('held');
    expect(server.claim('www.xn--bcher-kva.example.com')).toMatchObject({
      state: 'Held',
      owner: 'alice',
      lease: 'alice-1-1-1',
      service: 'web',
    });
    expect(store.heldBy('alice-1-1-1')).toEqual([want('www.xn--bcher-kva.example.com')]);
    const writes = server.writes.length;
    expect(await states(claims, lease('alice'), 'www.bücher.example.com')).toBe('held');
    expect(await states(process().claims, lease('alice'), 'www.bücher.example.com')).toBe('held');
    expect(server.writes).toHaveLength(writes);
  });

  it('points a name at another service of the same lease in one write', async () => {
    const { server, process } = world();
    const { claims } = process();
    await states(claims, lease('alice'), 'www.example.com');
    server.writes.length = 0;
    await claims.reserve(lease('alice'), [want('www.example.com', 'api')], never);
    expect(server.writes).toEqual(['replace www.example.com Held']);
    expect(server.claim('www.example.com')).toMatchObject({ service: 'api' });
    server.writes.length = 0;
    await claims.reserve(lease('alice'), [{ ...want('www.example.com', 'api'), externalPort: 8080 }], never);
    expect(server.writes).toEqual(['replace www.example.com Held']);
    expect(server.claim('www.example.com')).toMatchObject({ service: 'api', externalPort: 8080 });
  });

  it('withholds what another lease of the owner has, and refuses what another owner has', async () => {
    const { server, process } = world();
    const { claims } = process();
    await states(claims, lease('alice'), 'www.example.com');
    const writes = server.writes.length;
    expect(await states(claims, lease('alice', 2), 'www.example.com')).toBe('withheld HostnameWithheld');
    expect(await states(claims, lease('bob'), 'www.example.com', '*.example.com')).toBe('refused HostnameTaken,refused HostnameTaken');
    expect(server.writes).toHaveLength(writes);
  });

  it.each([
    ['*.example.com', 'www.example.com', 'refused HostnameTaken'],
    ['www.example.com', '*.example.com', 'refused HostnameTaken'],
    ['*.example.com', 'a.www.example.com', 'held'],
    ['a.www.example.com', '*.example.com', 'held'],
    ['*.example.com', '*.www.example.com', 'held'],
    ['*.example.com', 'example.com', 'held'],
    ['example.com', '*.example.com', 'held'],
    ['www.example.com', 'api.example.com', 'held'],
  ])('of one owner %s, of another %s: %s, also after what is there was read by nobody', async (first, second, expected) => {
    const { process } = world();
    const blind = process();
    await blind.claims.reserve(lease('zoe'), [], never);
    await states(process().claims, lease('alice'), first);
    expect(await states(blind.claims, lease('bob'), second)).toBe(expected);
    expect(await states(process().claims, lease('bob'), second)).toBe(expected);
    expect(await states(process().claims, lease('alice', 2), second)).toBe(expected === 'held' ? 'refused HostnameTaken' : 'held');
  });

  it('refuses one of two services that name the same host, always the same one', async () => {
    const { process } = world();
    const { claims } = process();
    const wanted = [want('www.example.com', 'web'), want('WWW.example.com', 'api')];
    for (let times = 0; times < 2; times += 1)
      expect((await claims.reserve(lease('alice'), wanted, never)).map(({ code }) => code)).toEqual(['HostnameHeld', 'HostnameRepeated']);
  });

  it('claims nothing that rules forbid, but takes no name out of a lease when they change', async () => {
    const { server, process } = world();
    expect(await states(process().claims, lease('alice'), 'www.blocked.org', 'x.apps.example.net', 'co.uk')).toBe(
      'refused HostnameBlocked,refused HostnameOfProvider,refused HostnamePublicSuffix',
    );
    expect(server.writes).toEqual([]);
    await states(process().claims, lease('alice'), 'www.example.com');
    const client = server.client();
    const stricter = new ClaimStore({
      ...{ reader: client, caches: new ShownClaims(server).caches, coolDownMs, namesPerOwner: 500, clock: { now: () => 0 } },
      rules: hostnameRules({ blocked: ['www.example.com'], ingressDomain: '', publicHostname: '' }),
    });
    expect(await states(stricter.claimsBy(client), lease('alice'), 'www.example.com')).toBe('held');
  });

  it('gives an account no more names than it may have to leases that ask at once', async () => {
    const { claims } = world({ namesPerOwner: 3 }).process();
    const asked = [1, 2, 3, 4, 5].map((dseq) => states(claims, lease('alice', dseq), `${'abcde'[dseq - 1]}.example.com`));
    const answers = await Promise.all(asked);
    expect(answers.toSorted()).toEqual(['held', 'held', 'held', 'refused HostnameLimit', 'refused HostnameLimit']);
  });

  it('gives an account no more names than it may have, over all of its leases, and refuses what would be more as a whole', async () => {
    const { server, process } = world({ namesPerOwner: 3 });
    const { store, claims } = process();
    expect(await states(claims, lease('alice'), 'a.example.com', 'b.example.com')).toBe('held,held');
    const writes = server.writes.length;
    const wanted = ['b.example.com', 'c.example.com', 'd.example.com'].map((hostname) => want(hostname));
    const grants = store.check(lease('alice', 2), wanted);
    expect(grants.map(({ code }) => code)).toEqual(['HostnameWithheld', 'HostnameHeld', 'HostnameLimit']);
    expect(grants[2]?.message).toBe(
      '"d.example.com" would be one more than the 3 hostnames that an account may have at this provider, including those it released recently: take names out of its leases, or ask the provider to raise hostnames-per-owner',
    );
    expect(server.writes).toHaveLength(writes);
    expect(await states(claims, lease('alice', 2), 'c.example.com', 'd.example.com')).toBe('held,refused HostnameLimit');
    expect(await states(claims, lease('alice', 3), 'd.example.com')).toBe('refused HostnameLimit');
    // What it has costs nothing more, under whatever lease, and others are not counted with it.
    expect(await states(claims, lease('alice'), 'a.example.com', 'b.example.com')).toBe('held,held');
    expect(await states(process().claims, lease('bob'), 'd.example.com')).toBe('held');
  });

  it('counts what an account gave back until it is anybody’s, and what is being claimed at once', async () => {
    const { time, process } = world({ namesPerOwner: 2 });
    const { claims } = process();
    await states(claims, lease('alice'), 'a.example.com', 'b.example.com');
    await claims.release(lease('alice'), [], never);
    expect(await states(claims, lease('alice', 2), 'c.example.com')).toBe('refused HostnameLimit');
    expect(await states(claims, lease('alice', 2), 'a.example.com')).toBe('held');
    time.now += coolDownMs;
    await claims.sweep(never);
    expect(await states(claims, lease('alice', 3), 'c.example.com', 'd.example.com')).toBe('held,refused HostnameLimit');
    const others = ['e', 'f', 'g'].map((name) =>
      states(claims, lease('bob', name.charCodeAt(0)), `${name}1.example.com`, `${name}2.example.com`),
    );
    const held = (await Promise.all(others)).join().match(/held/g) ?? [];
    // Those that are written at the same moment may be beyond it: one for each lease that is looked at.
    expect(held.length).toBeLessThanOrEqual(2 + others.length - 1);
  });

  it('does not count names that the provider gives', async () => {
    const { process } = world({ namesPerOwner: 1 });
    const { claims } = process();
    const own = ['web', 'api'].map((service) => ({
      ...want(`${ingressHost(lease('alice'), service)}.apps.example.net`, service),
      isStatic: true,
    }));
    const grants = await claims.reserve(lease('alice'), [...own, want('www.example.com')], never);
    expect(grants.map(({ state }) => state)).toEqual(['held', 'held', 'held']);
  });

  it('makes names below the provider’s domain the lease’s own with two writes, and gives them back at once', async () => {
    const { server, process } = world();
    const { claims } = process();
    const own = { ...want(`${ingressHost(lease('alice'), 'web')}.apps.example.net`), isStatic: true };
    await claims.reserve(lease('alice'), [own], never);
    expect(server.writes).toHaveLength(2);
    const [grant] = await claims.reserve(lease('bob'), [own], never);
    expect(grant).toMatchObject({ state: 'refused', code: 'HostnameOfProvider' });
    await claims.release(lease('alice'), [], never);
    expect(server.claims()).toEqual([]);
  });
});

describe('releasing hostnames', () => {
  it('keeps them for their owner for the cool-down, across a restart, and then for nobody', async () => {
    const { server, time, process } = world();
    await states(process().claims, lease('alice'), 'www.example.com', '*.example.org');
    await process().claims.release(lease('alice'), [], never);
    time.now += coolDownMs - 1;
    expect(await states(process().claims, lease('bob'), 'www.example.com', 'a.example.org')).toBe(
      'refused HostnameCoolingDown,refused HostnameCoolingDown',
    );
    await process().claims.sweep(never);
    expect(server.claim('www.example.com')?.state).toBe('Released');
    expect(await states(process().claims, lease('alice', 2), 'www.example.com')).toBe('held');
    await process().claims.release(lease('alice', 2), [], never);
    time.now += coolDownMs;
    expect(await states(process().claims, lease('bob'), 'www.example.com', 'a.example.org')).toBe('held,held');
  });

  it('gives back only what is not kept, and nothing of other leases', async () => {
    const { process } = world();
    const { store, claims } = process();
    await states(claims, lease('alice'), 'a.example.com', 'b.example.com');
    await states(claims, lease('alice', 2), 'c.example.com');
    await claims.release(lease('alice'), [want('A.example.com')], never);
    const held = store.all().filter(({ state }) => state === 'Held');
    expect(held.map(({ hostname }) => hostname)).toEqual(['a.example.com', 'c.example.com']);
  });

  it('leaves what was kept for the owner to it when it is claimed again and that comes to nothing', async () => {
    const { server, time, process } = world();
    await states(process().claims, lease('alice'), 'www.example.com');
    await process().claims.release(lease('alice'), [], never);
    const releasedAt = time.now;
    time.now += 1_000;
    const dying = process(diesAfter(1));
    await expect(states(dying.claims, lease('alice', 2), 'www.example.com')).rejects.toThrow('connection');
    expect(server.claim('www.example.com')).toMatchObject({ state: 'Claiming', releasedAt });
    await process().claims.release(lease('alice', 2), [], never);
    expect(server.claim('www.example.com')).toMatchObject({ state: 'Released', since: releasedAt, lease: '' });
  });

  it('lets go of claims that nobody finished, and of records of parents that are not needed', async () => {
    const { server, time, process } = world();
    await expect(states(process(diesAfter(2)).claims, lease('alice'), 'www.example.com')).rejects.toThrow('connection');
    expect(server.claims().map(({ state }) => state)).toEqual(['Claiming', 'Parent']);
    await process().claims.sweep(never);
    expect(server.claims()).toHaveLength(2);
    time.now += 60_000;
    await process().claims.sweep(never);
    await process().claims.sweep(never);
    expect(server.claims()).toEqual([]);
  });

  it('does not let go of a wildcard that waits for a name that somebody began to claim, while its lease still waits', async () => {
    const { server, time, process } = world();
    const waiting = process();
    // Has read that there is nothing yet.
    await waiting.claims.sweep(never);
    await expect(states(process(diesAfter(1)).claims, lease('bob'), 'www.example.com')).rejects.toThrow('connection');
    expect(await states(waiting.claims, lease('alice'), '*.example.com')).toBe('waiting HostnameContended');
    time.now += 60_000;
    await waiting.claims.sweep(never);
    expect(server.claims().map(({ hostname, state }) => `${hostname} ${state}`)).toEqual(['*.example.com Claiming']);
    // For all that another process knows, nobody waits for it.
    await process().claims.sweep(never);
    expect(server.claims()).toEqual([]);
    expect(await states(waiting.claims, lease('alice'), '*.example.com')).toBe('held');
  });
});

describe('transferring a hostname', () => {
  it('takes one write, after which the other lease has it', async () => {
    const { server, process } = world();
    const { store, claims } = process();
    await states(claims, lease('alice'), 'www.example.com');
    server.writes.length = 0;
    const moved = await claims.transfer(lease('alice', 2), want('WWW.example.com', 'api'), never);
    expect(server.writes).toEqual(['replace www.example.com Held']);
    expect(moved).toMatchObject({ hostname: 'www.example.com', lease: 'alice-2-1-1', service: 'api', state: 'Held' });
    expect([store.heldBy('alice-1-1-1'), store.heldBy('alice-2-1-1').length]).toEqual([[], 1]);
    await claims.transfer(lease('alice', 2), want('www.example.com', 'api'), never);
    expect(server.writes).toHaveLength(1);
    expect(await states(claims, lease('alice'), 'www.example.com')).toBe('withheld HostnameWithheld');
  });

  it('claims what nobody has, and refuses what another owner has', async () => {
    const { process } = world();
    const { claims } = process();
    expect(await claims.transfer(lease('alice'), want('www.example.com'), never)).toMatchObject({ lease: 'alice-1-1-1', state: 'Held' });
    await expect(claims.transfer(lease('bob'), want('www.example.com'), never)).rejects.toMatchObject({ code: 'failed_precondition' });
    await expect(claims.transfer(lease('bob'), want('10.0.0.1'), never)).rejects.toMatchObject({ code: 'failed_precondition' });
  });
});

/** As a process that is killed after so many writes. */
function diesAfter(writes: number): Gate {
  let made = 0;
  return async (what) => {
    if (/^(find|list)/.test(what)) return made >= writes ? 'lost' : 'answered';
    made += 1;
    return made > writes ? 'lost' : made === writes ? 'unanswered' : 'answered';
  };
}

describe('a process that dies after any of its writes', () => {
  it.each(['*.example.com', 'www.example.com'])('has finished nothing, or is finished by the next one: %s', async (hostname) => {
    for (let writes = 1; writes <= 4; writes += 1) {
      const { server, process } = world();
      await states(process(diesAfter(writes)).claims, lease('alice'), hostname).catch(() => undefined);
      expect(await states(process().claims, lease('alice'), hostname)).toBe('held');
      await process(diesAfter(writes))
        .claims.release(lease('alice'), [], never)
        .catch(() => undefined);
      await process().claims.release(lease('alice'), [], never);
      expect(server.claim(hostname)?.state).toBe('Released');
    }
  });

  it('leaves a name that it transfers with one of the two leases', async () => {
    for (const writes of [0, 1]) {
      const { server, process } = world();
      await states(process().claims, lease('alice'), 'www.example.com');
      await process(diesAfter(writes))
        .claims.transfer(lease('alice', 2), want('www.example.com'), never)
        .catch(() => undefined);
      expect(server.claim('www.example.com')).toMatchObject({ state: 'Held', owner: 'alice', lease: `alice-${writes + 1}-1-1` });
      await process().claims.transfer(lease('alice', 2), want('www.example.com'), never);
      expect(server.claim('www.example.com')?.lease).toBe('alice-2-1-1');
    }
  });
});

describe('a process that is paused before any of its requests', () => {
  const paused: Readonly<Record<string, (claims: HostnameClaims) => Promise<unknown>>> = {
    'claims a wildcard': (claims) => claims.reserve(lease('carol'), [want('*.example.com')], never),
    'claims a name': (claims) => claims.reserve(lease('carol'), [want('www.example.com')], never),
    'transfers a wildcard': (claims) => claims.transfer(lease('carol', 2), want('*.example.com'), never),
    'gives everything back': (claims) => claims.release(lease('carol'), [], never),
    sweeps: (claims) => claims.sweep(never),
  };
  const meanwhile = ['*.example.com', 'www.example.com', 'api.example.com'];
  it.each(Object.keys(paused))('changes nothing of what others have got meanwhile: one that %s', async (what) => {
    let held = 0;
    for (const before of [undefined, ...meanwhile])
      for (const taken of meanwhile)
        for (let pausedAt = 1; pausedAt <= 8; pausedAt += 1) {
          const { server, time, process } = world();
          if (before !== undefined) await process().claims.reserve(lease('carol'), [want(before)], never);
          if (before !== undefined) await process().claims.release(lease('carol'), [], never);
          const goesOn = Promise.withResolvers<void>();
          const isPaused = Promise.withResolvers<void>();
          let requests = 0;
          const { claims } = process(async () => {
            requests += 1;
            if (requests === pausedAt) {
              isPaused.resolve();
              await goesOn.promise;
            }
            return 'answered';
          });
          const working = paused[what]?.(claims)
            .catch((thrown: unknown) => {
              if (!(thrown instanceof StatusError)) throw thrown;
            })
            .finally(isPaused.resolve);
          await isPaused.promise;
          time.now += coolDownMs;
          await process().claims.sweep(never);
          const [got] = await process().claims.reserve(lease('alice'), [want(taken)], never);
          goesOn.resolve();
          await working;
          if (got?.state === 'held') expect(server.claim(taken)).toMatchObject({ state: 'Held', owner: 'alice' });
          else expect(server.claim(taken)?.owner).not.toBe('alice');
          held += got?.state === 'held' ? 1 : 0;
        }
    expect(held).toBeGreaterThan(30);
  });

  it('keeps the record of a parent whose wildcard it has not seen', async () => {
    const { server, time, process } = world();
    const blind = process();
    await blind.claims.sweep(never);
    await states(process().claims, lease('alice'), '*.example.com');
    expect(await states(blind.claims, lease('alice', 2), 'www.example.com')).toBe('held');
    await blind.claims.release(lease('alice', 2), [], never);
    time.now += coolDownMs;
    await blind.claims.sweep(never);
    await blind.claims.sweep(never);
    expect(server.claims().map(({ hostname }) => hostname)).toEqual(['*.example.com', 'example.com']);
    expect(await states(blind.claims, lease('bob'), 'www.example.com')).toBe('refused HostnameTaken');
  });
});

describe('what is known of hostnames', () => {
  it('says before anything is written what a lease would get', async () => {
    const { server, process } = world();
    await states(process().claims, lease('alice'), '*.example.com', 'www.example.org');
    const writes = server.writes.length;
    const { store } = process();
    const check = (of: LeaseId, ...hostnames: string[]) =>
      store
        .check(
          of,
          hostnames.map((hostname) => want(hostname)),
        )
        .map(({ state }) => state);
    expect(check(lease('bob'), 'www.example.com', 'www.example.org', '*.example.org', 'api.example.org')).toEqual([
      'refused',
      'refused',
      'refused',
      'held',
    ]);
    expect(check(lease('alice', 2), 'www.example.com', 'www.example.org', '1.2.3.4')).toEqual(['held', 'withheld', 'refused']);
    expect(server.writes).toHaveLength(writes);
  });

  it('is nothing while nothing was read: no name is refused for it', () => {
    const { process } = world();
    const { store, shown } = process();
    shown.isSynced = false;
    expect(store.check(lease('alice'), [want('www.example.com')])[0]).toMatchObject({ state: 'waiting', code: 'HostnamesUnknown' });
    shown.isAbsent = true;
    expect(store.problem()).toContain('HostnameClaim');
  });

  it('wakes the lease that has a name, and those that did not get it', async () => {
    const { process } = world();
    const { store, shown, claims } = process();
    const woken: string[] = [];
    store.source.subscribe({ key: (key) => woken.push(key), failed: () => {} });
    await states(claims, lease('alice'), 'www.example.com');
    await states(claims, lease('alice', 2), 'www.example.com');
    await states(claims, lease('bob'), '*.example.com');
    shown.show();
    expect(woken).toEqual(['alice-1-1-1', 'alice-2-1-1', 'bob-1-1-1']);
    woken.length = 0;
    await claims.release(lease('bob'), [], never);
    await claims.release(lease('alice'), [], never);
    shown.show();
    expect(new Set(woken)).toEqual(new Set(['alice-1-1-1', 'alice-2-1-1']));
  });

  it('is not set back by a watch that is behind', async () => {
    const { process } = world();
    const { store, shown, claims } = process();
    await states(claims, lease('alice'), 'www.example.com');
    shown.show();
    await claims.transfer(lease('alice', 2), want('www.example.com'), never);
    await states(claims, lease('alice', 2), 'www.example.com');
    expect(store.heldBy('alice-2-1-1')).toHaveLength(1);
    shown.show();
    expect([store.heldBy('alice-1-1-1').length, store.heldBy('alice-2-1-1').length]).toEqual([0, 1]);
  });
});
