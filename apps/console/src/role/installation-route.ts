import type { FastifyInstance } from 'fastify';
import { type InstallationView, installationPath } from '../installation-view.ts';
import { withoutSecrets } from '../server/without-secrets.ts';
import type { SignInWay } from '../session-view.ts';
import type { ConsoleSurroundings } from './console-role.ts';
import type { AskerOf } from './session/asker.ts';
import type { Upstreams } from './upstreams/upstreams.ts';

export interface InstallationOptions {
  readonly version: string;
  readonly ways: readonly SignInWay[];
  readonly upstreams: Upstreams;
  readonly kubernetes: boolean;
  /** What the process consists of; undefined where the console runs alone. */
  readonly surroundings: Pick<ConsoleSurroundings, 'installation' | 'faults'> | undefined;
}

/** What the console is and reaches. The parts of the process, with where they are, are for those who run it. */
export function addInstallationRoute(routes: FastifyInstance, options: InstallationOptions, askerOf: AskerOf): void {
  const { version, ways, upstreams, kubernetes, surroundings } = options;
  routes.get(installationPath, async (request, reply) => {
    const asker = askerOf(request, reply);
    const { session, signal } = asker;
    const [{ is_staff: isStaff = false }, states, mayReadCluster] = await Promise.all([
      upstreams.callerOf(session.token, 'briefly', signal),
      upstreams.states(signal),
      kubernetes && isGiven(asker.requireClusterReader()),
    ]);
    const faults = isStaff ? await surroundings?.faults?.(signal) : undefined;
    const answer: InstallationView = {
      version,
      signIn: ways,
      // Why a server is away may name addresses.
      upstreams: isStaff ? states : states.map(({ name, state, since }) => ({ name, state, since })),
      kubernetes: mayReadCluster,
      ...(isStaff && surroundings !== undefined && withoutSecrets(surroundings.installation())),
      faults,
    };
    return reply.header('cache-control', 'no-store').send(answer);
  });
}

const isGiven = (right: Promise<void>): Promise<boolean> =>
  right.then(
    () => true,
    () => false,
  );
