/** By which the network's provider names a lease. Others of its prefix are anybody's, and are not kept. */
const leaseNames: ReadonlySet<string> = new Set(
  ['owner', 'dseq', 'gseq', 'oseq', 'provider'].map((part) => `akash.network/lease.id.${part}`),
);

/** Names the service of the manifest that a pod runs. */
export const serviceLabel = 'akash.network/manifest-service';

type Labels = Readonly<Record<string, string>>;

/** Whether the label ties a pod to its lease. */
export const isLeaseLabel = (key: string): boolean => key === serviceLabel || leaseNames.has(key);

/** A pod is of a lease as soon as one of its labels says so. */
export const isLeasePod = ({ leaseLabels }: { readonly leaseLabels: Labels }): boolean => Object.keys(leaseLabels).length > 0;

/** Whether a label of a namespace or a claim names the lease that it is of. */
export const hasLeaseLabel = (labels: Labels | undefined): boolean => Object.keys(labels ?? {}).some((key) => leaseNames.has(key));
