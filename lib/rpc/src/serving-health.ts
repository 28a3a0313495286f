import { type Clock, StatusError } from '@quartermaster/kernel';
import { HealthDefinition, HealthServiceImpl, HealthState } from 'nice-grpc-server-health';

const checkIntervalMs = 1000;

/** grpc.health.v1 over a callback: `Check` asks it, `Watch` tells changes within a second. Both the whole server and each service are known. */
export function healthService(isServing: () => boolean, services: readonly string[], clock: Clock) {
  const names = new Set(['', ...services]);
  const state = HealthState();
  state.setMaxListeners(0);
  state.getStatus = (service = '') => (!names.has(service) ? 'unknown' : isServing() ? 'healthy' : 'unhealthy');
  let last = isServing();
  let cancel = (): void => {};
  const look = (): void => {
    const now = isServing();
    if (now !== last) {
      last = now;
      for (const service of names) state.emit('change', { status: now ? 'healthy' : 'unhealthy', service });
    }
    cancel = clock.schedule(checkIntervalMs, look);
  };
  look();
  /** What the method Check answers. */
  const check = (service: string) => {
    const status = state.getStatus(service);
    if (status === 'unknown')
      throw new StatusError('not_found', `service: none of the name ${JSON.stringify(service.slice(0, 100))} is served`);
    return { status: status === 'healthy' ? 1 : 2 };
  };
  return { check, definition: HealthDefinition, implementation: HealthServiceImpl(state), stop: () => cancel() };
}
