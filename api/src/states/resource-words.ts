const words: Readonly<Record<string, string>> = {
  cpu: 'CPU',
  memory: 'memory',
  'ephemeral-storage': 'ephemeral storage',
  pods: 'pod slots',
  gpu: 'GPUs',
  ports: 'external ports',
  'leased-ips': 'leased addresses',
};

/** What people call a resource of the cluster service, by its name in the contract: `memory`, `storage class beta3`. Cards are called by the name that they have. */
export const resourceWord = (resource: string): string => words[resource] ?? resource.replace(/^storage\//, 'storage class ');

/** What people call a place where more may be promised than there is: `node gpu-1`, `storage class beta3`, `external ports`. */
export const placeWord = (place: string): string => resourceWord(place.replace(/^node\//, 'node '));

/** What became of what a reservation was promised, by the names of the contract. */
export const promiseWords = { promised: 'promised', allocated: 'allocated', held: 'reserved' } as const;
