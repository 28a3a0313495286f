/** Where things are shown: the one place that knows the addresses of the pages. */
export const nodesHref = (query: string): string => `/nodes?q=${encodeURIComponent(query)}`;
/** The nodes that have GPUs of a model. */
export const gpuHref = (model: string): string => nodesHref(`gpu:${quoted(model)}`);
export const podsHref = (phase: string): string => `/pods?phase=${encodeURIComponent(phase)}`;
/** The page of a pod, by `namespace/name`. */
export const podHref = (key: string): string => `/pods/${key.split('/').map(encodeURIComponent).join('/')}`;
export const nodeHref = (name: string): string => `/nodes/${encodeURIComponent(name)}`;

export const leasesHref = '/leases';
export const hostnamesHref = '/hostnames';
export const reservationsHref = '/reservations';
/** The reservations with a condition of this type. */
export const conditionHref = (type: string): string => `${reservationsHref}?condition=${encodeURIComponent(type)}`;

/** In quotes a filter takes the value as a whole. */
export const quoted = (value: string): string => `"${value.replaceAll('"', '')}"`;
/** The card of a storage class. */
export const storageHref = (name: string): string => `/storage?class=${encodeURIComponent(name)}`;

/** A card on the page of its node; the search names it `node id`. */
export function gpuHitHref(hit: string): string {
  const [node = '', ...id] = hit.split(' ');
  return `${nodeHref(node)}?gpu=${encodeURIComponent(id.join(' '))}`;
}

/** A lease that was found: by its order where this provider runs it, else by its id at the market. */
export const leaseHitHref = (hit: string): string => `${leasesHref}/${hit.split('/').map(encodeURIComponent).join('/')}`;

/** A hostname that was found; the search names it with the lease that it leads to, where there is one. */
export function hostnameHitHref(hit: string): string {
  const [hostname = '', lease] = hit.split(' ');
  return lease === undefined ? `${hostnamesHref}?q=${encodeURIComponent(hostname)}` : leaseHitHref(lease);
}

/** What was done to objects of one kind. */
export const auditHref = (kind: string): string => `/audit?kind=${encodeURIComponent(kind)}`;
