"""Questions with several topics about three domains, and memories of which many are near to one topic."""

MEMORIES = """\
The fog machine was bought second-hand from a disco in 2017.
The fog machine needs a litre of fluid for each performance.
Someone suggested dry ice instead of the fog machine.
The fog in act three should roll in slowly, says the director.
The bear costume was made by Ines's mother.
Children loved the bear at the school matinee.
The bear has only one scene, and it is the one people remember.
The church hall has a new caretaker with a loud dog.
Rehearsals ran late again and the caretaker was cross.
We rehearse the statue scene most of all.
Mark plays Leontes and knows his lines already.
Leontes should be younger than Mark, one of the critics wrote last time.
The van has done 190,000 kilometres.
The van is parked behind the bakery and smells of fish.
We sold eighty tickets in the first week.
Tickets are printed on recycled paper.
The box office window was painted green.
The music should sound like a fair.
Priya once painted a backdrop of Naples in two days.
Backdrops are stored rolled, never folded.
Thrones look better in dim light.
The lighting designer moved to Bristol.
The Gazette printed our poster in black and white.
Parking tickets in the town are thirty pounds.
The shawl was a gift from the lady at the wool shop.
The bar made more money than the tickets did last year.
The ramp at the back door is steep and slippery when wet.
Grants from the council need two signatures.
The brewery next door delivers at six in the morning.
Students like the seats on the balcony.
Copper spraying takes Bruno the whole morning.
Copper is blue and stains his gloves.
Spraying after rain makes no sense.
The pickers sing and start at six.
Some pickers come back every year from the same village in Poland.
The Riesling smells of peach and slate.
Our Riesling won a silver medal in Mainz.
The Riesling of 2019 is still too young, says Bruno.
The hailstorm broke two windows of the barn as well.
Insurance against hail is too dear for us.
Boars like the sweet grapes best.
The boar was seen by the postman.
The press was built in 1988.
Bruno is proud of the press and polishes it.
The tractor is red and older than Jakob.
The tractor needs diesel before the weekend.
The tank by the door holds 2,000 litres.
Tanks are cleaned with citric acid.
The cellar has a vaulted ceiling and bats.
Importers visit in November.
Rehearsals for The Winter's Tale are in the church hall on Mondays and Thursdays.
The fog machine sets off the smoke detector above the left wing, so we tape it over during shows.
Priya is painting the backdrop; she has used up the last of the cobalt.
The insurance for the touring van runs out on the 3rd of March.
Gareth will understudy Leontes, because Mark has a shoulder operation in spring.
Tickets cost fourteen pounds, nine for students.
We borrow the thrones from the opera and they must be back by the 20th.
The bear costume needs a new zip and smells of mothballs.
Box office opens ninety minutes before the curtain.
Ines wrote the music; the flute part is still missing its last page.
The licence for the bar only covers beer and wine.
Our lighting desk crashes whenever cue 88 follows a blackout.
The reviewer from the Gazette comes on the second night and wants an aisle seat.
Half of the programme is paid for by the brewery's advertisement.
Tom counted 212 seats, eleven of them behind the pillar.
The trapdoor has been nailed shut since the accident of 2019.
Nobody may park in the yard before seven, the neighbours complained.
Perdita's shawl is real wool and must be washed by hand.
The council gave us a grant of 3,500 for the ramp.
Mark is allergic to latex, so no latex masks near him.
We spray copper at most six kilos per hectare over the year.
The Riesling on the north slope is picked in the last week of September.
Bruno repaired the press; the gauge still reads two bar too much.
Hail took a third of the crop in the lower parcel in June.
The importer in Oslo wants screw caps rather than corks.
Our organic certificate is renewed by an inspector called Frau Wendt every April.
Wild boars came through the east fence twice, we now have an electric wire.
The tank in the corner leaks at the lower valve, don't fill it above two thirds.
Pickers are paid 13.50 an hour and get lunch.
The rosé of last year was sold out by July.
Labels are printed in Trier; they need three weeks.
Nadia keeps eleven hives behind the barn, and wants no spraying while the lime trees are in bloom.
The tractor's clutch slips uphill, the mechanic says it will last one more season.
Tastings for visitors are Saturdays at three, at most twelve people.
The yeast strain for the Pinot is called RC212 and is kept in the small fridge.
Grandfather's deeds for the upper parcel are with the notary in Bernkastel.
The well ran dry for nine days in August.
We owe the cooperative 8,400 euros for the bottling line, payable at Christmas.
The cellar must stay under 14 degrees.
Jakob is learning to prune; he cut the young vines too short in February.
Deploys to production are frozen from the 18th of December to the 4th of January.
The ingest queue stalls when a message is larger than 256 kB; oversized ones go to the side bucket.
Hanna holds the pager this month, Lewis is the backup.
Access logs are kept for thirty days, audit logs for seven years.
The staging database is rebuilt every Sunday night from an anonymised dump.
We rotate the signing keys each quarter; the next time is in February.
The vendor's SLA promises 99.9 percent, with credits below that.
Feature flags live in the config service and expire after ninety days.
Certificate renewals are done by the cron job on host badger.
The mobile team still calls the v1 endpoint, which we want to retire in June.
Our cache in Frankfurt is twice the size of the one in Dublin.
The post-mortem of the October outage blamed a missing index on the invoices table.
New colleagues get read-only rights for two weeks.
Cloud spend was 41,000 last month, a fifth of it for idle GPUs.
The status page is hosted elsewhere so that it survives our own downtime.
Load tests run with k6 against the blue cluster, never against green.
Legal asked us to keep customer files of the Swiss tenants in Zurich.
The retry policy is five attempts with exponential backoff, then a ticket.
Ravi wants to replace Jenkins with Buildkite by the summer.
The office wifi password changes on the first of each month.
Norway taxes wine by the alcohol in it.
The labels show the old lime tree.
Visitors ask about the bats in the cellar.
The Saturday market starts at eight.
The notary has his office above the pharmacy.
The cooperative was founded in 1931.
Nadia sells honey at the gate.
The bees swarmed on Whit Sunday.
Pruning is done in winter when the wood is dry.
Pinot needs more sun than the north slope gets.
Deploys take eleven minutes on average.
A deploy on a Friday made Hanna cross.
The deploy script prints a llama when it is done.
December is quiet for support.
The queue was written by two interns.
Queues are monitored with a chart on the big screen.
Messages are compressed with zstd.
Hanna prefers coffee from the machine on the third floor.
Lewis joined from a bank.
The pager app has an ugly ring tone.
Logs are shipped with vector and parsed in Dublin.
The log volume doubled since spring.
Staging has a banner in orange.
The staging environment has its own domain.
Signing was moved to a hardware module last year.
The vendor sends a cake each Christmas.
The vendor's account manager is called Ottilie.
Feature flags were introduced after the great rollback.
Somebody left a feature flag called banana switched on.
Badger and otter are the names of our two oldest hosts.
Hosts are named after animals.
The mobile team sits in Porto.
The mobile app has a dark theme now.
The v2 endpoint returns cursors rather than pages.
Dublin has cheaper electricity at night.
Frankfurt is nearer to most customers.
The October offsite was in the mountains.
Post-mortems are read aloud on Fridays.
New colleagues get a plant.
GPUs are rented by the hour.
The finance team asks for the cloud bill on the fifth.
The status page turned yellow on Tuesday.
Load on the blue cluster is highest at noon.
The green cluster has newer kernels.
Swiss tenants pay in francs.
Zurich has the best fondue, says Ravi.
Retries were the reason for the traffic spike.
Jenkins has 140 jobs, half of them dead.
Ravi wrote a plugin for Jenkins once.
The office has a new coffee grinder.
The wifi is slow in the meeting room by the stairs.
""".splitlines()

SEVERAL = {
    "What do I need to know about the fog machine, the bear costume and the trapdoor?": [
        "fog",
        "bear costume",
        "trapdoor",
    ],
    "Remind me who stands in for Leontes, and when the van's insurance ends.": [
        "understudy",
        "insurance for the touring van",
    ],
    "ticket prices, opening of the box office, number of seats": ["fourteen pounds", "ninety minutes", "212 seats"],
    "How is the backdrop coming along, and has the music been finished?": ["last of the cobalt", "flute part"],
    "Where do we rehearse? And which nights does the critic come?": ["church hall on", "second night"],
    "I'm writing to the crew: parking, the thrones, and the lighting desk - what should I tell them?": [
        "in the yard",
        "thrones",
        "lighting desk",
    ],
    "Are there any health matters with Mark, rules for the bar, or washing instructions for the shawl?": [
        "Mark",
        "licence for the bar",
        "washed by hand",
    ],
    "What about the hail, the boars and the dry well?": ["Hail", "boar", "well ran dry"],
    "How much copper may we use, and what do the pickers earn?": ["six kilos", "13.50"],
    "Tell me about the press, the leaking tank, the tractor and the cellar temperature.": [
        "press",
        "leaks",
        "tractor",
        "14 degrees",
    ],
    "Which closures does Norway want and how long do the labels take?": ["screw caps", "three weeks"],
    "Summarise our debts as well as the paperwork for the upper parcel.": ["8,400", "notary in"],
    "When is the Riesling harvested, when are tastings, and when does the inspector come?": [
        "last week of September",
        "at most twelve",
        "Frau Wendt",
    ],
    "For the visitors on Saturday: group size, what's left of the rosé, which wine closes with a screw cap": [
        "at most twelve",
        "sold out by July",
        "screw caps",
    ],
    "When's the deploy freeze, who is on call and what does the SLA promise?": ["frozen", "holds the pager", "99.9"],
    "log retention; key rotation; certificate renewal": ["audit logs", "signing keys", "host badger"],
    "What happens to oversized messages and how often do we retry?": ["256 kB", "five attempts"],
    "Could you brief me on feature flags, the staging database and load tests?": [
        "eature flag",
        "staging database",
        "k6",
    ],
    "Who still uses the old API, and what caused the outage in autumn?": ["v1 endpoint", "post-mortem of"],
    "What did legal ask for, what does Ravi want, and what rights does a newcomer have?": [
        "in Zurich",
        "Buildkite",
        "read-only",
    ],
}
"""What a memory about each topic contains."""

PARTLY = {
    "What do you know about the trapdoor, the orchestra pit and the wig?": ["trapdoor"],
    "Who understudies Leontes, and what does the piano tuner charge?": ["understudy"],
    "Tell me about the well that ran dry, the donkey and the frost in May.": ["well ran dry"],
    "How many hives does Nadia have and who drives the forklift?": ["eleven hives"],
    "What's the retry policy, the budget for travel and the name of the intern?": ["five attempts"],
    "What is the director's surname and how many seats are there?": ["212 seats"],
}
"""The only topic of these that was ever told."""
