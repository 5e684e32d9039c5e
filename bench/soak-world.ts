import type { Contestant } from './contestant.ts';
import { administer, createKey, experience, farLimits, origin } from './world.ts';

export const mainProject = 'prj_soak';
/** Browser mints per minute and client that the second project allows. */
const tightLimit = 120;

const count = 20;
const elsewhere = 'https://embed.example.com';

/** The projects of the traffic: one with limits that are never reached, one with a low limit, and a key that is rotated. */
export class SoakWorld {
  readonly contestant: Contestant;
  readonly experienceIds = Array.from({ length: count }, (_, i) => experience('soak', i).id);
  readonly tightExperience = experience('tight', 0).id;
  readonly slug = experience('soak', 3).slug;
  readonly origin = origin;
  readonly publicOrigin = elsewhere;
  /** Launches of the project with the low limit. */
  tightLaunches = 0;
  key = '';
  #keyId = '';
  #previous: { keyId: string; key: string } | undefined;
  readonly #editions = Array.from({ length: count }, () => 0);
  #published = 0;

  private constructor(contestant: Contestant) {
    this.contestant = contestant;
  }

  static async provisioned(contestant: Contestant): Promise<SoakWorld> {
    const world = new SoakWorld(contestant);
    await world.publish();
    const limits = { ...farLimits, mintsPerMinutePerClient: tightLimit };
    await administer(contestant, '/admin/projects', {
      project: { id: 'prj_tight', name: 'Tight', browserEmbeds: true, allowedOrigins: [origin], limits },
      experiences: [experience('tight', 0)],
    });
    await world.#takeNewKey();
    return world;
  }

  /** Whether more mints were accepted than the low limit allows: each one-minute window starts with a mint. */
  isOverLimit(seconds: number): boolean {
    return this.tightLaunches > tightLimit * (Math.floor(seconds / 60) + 1);
  }

  /** Applies the project file with another scene for one experience, round-robin, which creates a new revision of it. */
  async publish(): Promise<void> {
    this.#editions[this.#published++ % count]!++;
    await administer(this.contestant, '/admin/projects', {
      project: {
        id: mainProject,
        name: 'Soak',
        browserEmbeds: true,
        allowedOrigins: [origin],
        limits: farLimits,
      },
      experiences: this.experienceIds.map((_, i) => {
        const { runtime, ...rest } = experience('soak', i);
        const location = { ...runtime.location, scene: { lighting: `edition ${this.#editions[i]}` } };
        return { ...rest, public: true, allowedOrigins: [elsewhere], runtime: { ...runtime, location } };
      }),
    });
  }

  /**
   * Creates a new key and revokes the one before the previous, which is no longer in use. Resolves with the revoked key: the service must
   * reject it from now on.
   */
  async rotateKey(): Promise<string | undefined> {
    const retired = this.#previous;
    this.#previous = { keyId: this.#keyId, key: this.key };
    await this.#takeNewKey();
    if (retired === undefined) return undefined;
    await administer(this.contestant, `/admin/keys/${retired.keyId}/revoke`);
    return retired.key;
  }

  async #takeNewKey(): Promise<void> {
    ({ keyId: this.#keyId, key: this.key } = await createKey(this.contestant, mainProject));
  }
}
