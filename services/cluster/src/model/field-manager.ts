/** Under which the cluster service applies objects: what another manager sets of them stays. */
export const fieldManager = 'quartermaster-cluster';
