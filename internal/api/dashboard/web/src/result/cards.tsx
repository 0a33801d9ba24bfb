// Products, places, ads, videos and discussions as cards.
import type { Ad, KnowledgeAttribute, Offer, Place, Product, ShoppingCard, Specification, Video } from "earshot";
import { External } from "../external";
import { Badges, Facts, Price, Rating } from "./pieces";

export function ProductCards({ products = [] }: { products: Product[] | undefined }) {
  return (
    <ul class="cards">
      {products.map((product, i) => (
        <ProductCard key={i} product={product} />
      ))}
    </ul>
  );
}

function ProductCard({ product }: { product: Product }) {
  return (
    <li class="item" data-testid="product-card">
      <div class="title">
        <External href={product.url}>{product.title}</External>
      </div>
      <Facts
        of={[
          product.price && <Price now={product.price} before={product.oldPrice} />,
          product.merchant,
          product.rating != null && <Rating of={product} />,
        ]}
      />
      {product.description && <p>{product.description}</p>}
      <Badges of={product.tags} />
      <Offers offers={product.offers} />
      <Specifications values={product.specifications} />
    </li>
  );
}

function Offers({ offers }: { offers: Offer[] | undefined }) {
  if (!offers?.length) return null;
  return (
    <details>
      <summary>{offers.length === 1 ? "1 offer" : `${offers.length} offers`}</summary>
      <div class="scroll">
        <table data-testid="offers">
          <thead>
            <tr>
              <th>Merchant</th>
              <th class="number">Price</th>
              <th>Terms</th>
            </tr>
          </thead>
          <tbody>
            {offers.map((offer, i) => (
              <tr key={i}>
                <td>
                  <External href={offer.url}>{offer.merchant}</External>
                  {offer.title && <div class="faint">{offer.title}</div>}
                </td>
                <td class="number">
                  <Price now={offer.price} before={offer.oldPrice} />
                </td>
                <td>
                  <Facts
                    of={[
                      offer.available === false && "Unavailable",
                      offer.condition,
                      offer.shipping,
                      offer.installments,
                    ]}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Specifications({ values }: { values: Specification[] | undefined }) {
  if (!values?.length) return null;
  return (
    <details>
      <summary>Specifications</summary>
      <NamedValues values={values} />
    </details>
  );
}

export function NamedValues({ values }: { values: (Specification | KnowledgeAttribute)[] }) {
  return (
    <dl>
      {values.map(({ name, value }, i) => (
        <div key={i}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Groups of products. */
export function ShoppingCards({ cards = [] }: { cards: ShoppingCard[] | undefined }) {
  return (
    <>
      {cards.map((card, i) => (
        <div key={i} class="group">
          {card.title && <h4>{card.title}</h4>}
          <Badges of={card.tags} />
          <ProductCards products={card.products} />
        </div>
      ))}
    </>
  );
}

export function PlaceCards({ places = [] }: { places: Place[] | undefined }) {
  return (
    <ul class="cards">
      {places.map((place, i) => (
        <li key={i} class="item" data-testid="place-card">
          <div class="title">
            <External href={place.website ?? place.link}>{place.name}</External>
          </div>
          <Facts of={[place.rating != null && <Rating of={place} />, place.priceLevel, place.category]} />
          {place.address && <p>{place.address}</p>}
          <Facts
            of={[
              place.phone,
              place.hours,
              place.website && place.link && place.link !== place.website && <External href={place.link}>Map</External>,
            ]}
          />
        </li>
      ))}
    </ul>
  );
}

export function Ads({ ads = [] }: { ads: Ad[] | undefined }) {
  return (
    <ul class="cards">
      {ads.map((ad, i) => (
        <li key={i} class="item ad" data-testid="ad-card">
          <Facts of={[<span class="badge">Ad</span>, ad.domain, ad.brand ?? ad.merchant, ad.block]} />
          <div class="title">
            <External href={ad.url}>{ad.title}</External>
          </div>
          <Price now={ad.price} before={ad.oldPrice} />
          {ad.description && <p>{ad.description}</p>}
          <Sitelinks links={ad.sitelinks?.map(({ title, url }) => ({ title, link: url }))} />
        </li>
      ))}
    </ul>
  );
}

export function Sitelinks({ links }: { links: { title: string; link: string }[] | undefined }) {
  if (!links?.length) return null;
  return (
    <div class="sitelinks">
      {links.map(({ title, link }, i) => (
        <External key={i} href={link}>
          {title}
        </External>
      ))}
    </div>
  );
}

export function VideoCards({ videos = [] }: { videos: Video[] | undefined }) {
  return (
    <ul class="cards">
      {videos.map((video, i) => (
        <li key={i} class="item" data-testid="video-card">
          <div class="title">
            <External href={video.url}>{video.title}</External>
          </div>
          <Facts of={[video.duration, video.platform, video.channel, video.date]} />
        </li>
      ))}
    </ul>
  );
}
