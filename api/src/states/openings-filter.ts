const controller = 'this.role == "controller"';

/**
 * Of the entries of the audit log about an object, those that tell of its secrets being opened by people, or by controllers. Controllers open them every hour, and would push
 * people out of what is read. An object that had the same id before is none of it.
 */
export function openingsFilter(by: 'people' | 'controllers', created: string | undefined): string {
  const since = sinceOf(created);
  const isLater = since === undefined ? '' : ` && this.at >= timestamp("${since}")`;
  return `this.outcome == "revealed" && ${by === 'controllers' ? controller : `!(${controller})`}${isLater}`;
}

/** The service and the database, whose time the log has, may have clocks that differ: rather one entry too many than one too few. */
const clocksMs = 60_000;

function sinceOf(created = ''): string | undefined {
  const at = Date.parse(created);
  return Number.isNaN(at) ? undefined : new Date(at - clocksMs).toISOString();
}
