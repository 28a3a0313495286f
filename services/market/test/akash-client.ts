/** What of the published client tries out a provider: it comes with the market, whose manifests it makes. */
export { certificateManager, createProviderSDK, generateManifest, JwtTokenManager, type SDLInput, yaml } from '@akashnetwork/chain-sdk';
