/** A part of undici on its own: the whole package takes several times longer to load than what is used of it. */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export default Pool;
}
