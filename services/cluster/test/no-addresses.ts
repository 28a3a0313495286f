/** Of a context of leases: no address was ever moved. */
export const noAddresses = {
  addresses: { heldBy: () => undefined, givenBy: () => undefined, all: () => [] },
  addressClaims: { caughtUp: async () => {}, release: async () => {} },
};
