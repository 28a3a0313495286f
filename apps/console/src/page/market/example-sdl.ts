/** Something small that runs anywhere, to begin with. */
export const exampleSdl = `version: "2.0"
services:
  web:
    image: nginx:1.29
    expose:
      - port: 80
        as: 80
        to:
          - global: true
profiles:
  compute:
    web:
      resources:
        cpu:
          units: 0.5
        memory:
          size: 512Mi
        storage:
          size: 1Gi
  placement:
    anywhere:
      pricing:
        web:
          denom: uakt
          amount: 100
deployment:
  web:
    anywhere:
      profile: web
      count: 1
`;
