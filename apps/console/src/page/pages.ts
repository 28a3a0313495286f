import { audit } from './audit/audit.ts';
import { capacity } from './capacity/capacity.ts';
import { clusters } from './clusters/clusters.ts';
import { events } from './events/events.ts';
import type { ConsolePage } from './frame/console-page.ts';
import { hostClasses } from './host-classes/host-classes.ts';
import { hostPools } from './host-pools/host-pools.ts';
import { hosts } from './hosts/hosts.ts';
import { hubs } from './hubs/hubs.ts';
import { nodes } from './nodes/nodes.ts';
import { overview } from './overview/overview.ts';
import { pods } from './pods/pods.ts';
import { racks } from './racks/racks.ts';
import { storage } from './storage/storage.ts';
import { templates } from './templates/templates.ts';

/** Every page, in the order of the side bar. A new page is a folder and a line here. */
export const pages: readonly ConsolePage[] = [
  capacity,
  nodes,
  storage,
  pods,
  racks,
  hosts,
  hostClasses,
  clusters,
  templates,
  hostPools,
  hubs,
  events,
  audit,
  overview,
];
