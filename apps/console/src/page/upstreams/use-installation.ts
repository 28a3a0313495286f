import { useQuery } from '@tanstack/react-query';
import { type ConsolePart, type InstallationView, installationPath } from '../../installation-view.ts';
import type { UpstreamView } from '../../session-view.ts';
import { callApi } from '../api/call-api.ts';
import { useSession } from '../session/session.ts';

const intervalMs = 3_000;

/** What the console is and reaches, asked for again and again; undefined before the first answer, and for those who do not run it. */
export function useInstallation(): InstallationView | undefined {
  const { readsInventory } = useSession();
  const { data } = useQuery({
    queryKey: ['installation'],
    queryFn: ({ signal }) => callApi<InstallationView>(installationPath, { signal }),
    refetchInterval: intervalMs,
    enabled: readsInventory,
  });
  return data;
}

const states = { ready: 'ready', failed: 'degraded', away: 'failed' } as const satisfies Record<
  UpstreamView['state'],
  ConsolePart['state']
>;

/** What runs: the parts of the process around the console, or where it runs alone, the servers that it asks. */
export function partsOf(view: InstallationView | undefined): readonly ConsolePart[] {
  return (
    view?.parts ??
    view?.upstreams.map(({ name, state, since, reason }) => ({ name, kind: 'external', state: states[state], since, reason, facts: {} })) ??
    []
  );
}
