/** How long tests wait before they give up, only so that one which waits for nothing ends: how fast things are is measured in `bench/`. */
export const patienceMs = 600_000;
