"""Questions with several topics, each with a memory for every topic; and questions that look like them and are not."""

SEVERAL = {
    "What do you know about my diet, my allergies and what the doctor said?": [
        "I eat vegetarian on weekdays",
        "I am allergic to penicillin and hazelnuts",
        "Dr. Okafor said that I should walk an hour a day",
    ],
    "Remind me of my blood type, my insurance number and where I parked the car.": [
        "My blood type is AB negative",
        "The insurance number is KV-2231-90",
        "I parked the car on level 3 near the lift",
    ],
    "What is my shoe size and when is my next dentist appointment?": [
        "My shoe size is 43",
        "The next dentist appointment is on 12 June at ten",
    ],
    "Where do I work, and who is my boss?": ["I work at the harbour authority", "My boss is Henrike Lund"],
    "What are my sister's birthday and my brother's address?": [
        "My sister's birthday is on 2 February",
        "My brother's address is 14 Elm Street",
    ],
    "Summarize my workout plan, sleep schedule and coffee habits": [
        "My workout plan: squats on Monday, rowing on Thursday",
        "My sleep schedule is eleven to seven",
        "I drink two espressos before noon and no coffee later",
    ],
    "What did we decide about the budget, the venue and the caterer?": [
        "We decided on a budget of 4,000 euros for the party",
        "The venue will be the boathouse",
        "The caterer is Bistro Miro, decided last week",
    ],
    "Please list my passport number as well as my flight number.": [
        "My passport number is C01X7732",
        "My flight number to Oslo is SK 802",
    ],
    "I need my wifi password, the alarm code and how I reset the router": [
        "The wifi password is salmon-ladder",
        "The alarm code is 7741",
        "To reset the router I hold the button for ten seconds",
    ],
    "What have I told you about my garden, my cat and the new kitchen?": [
        "My garden has three apple trees",
        "My cat is called Biscuit and is twelve",
        "The new kitchen will be installed in September",
    ],
    "Tell me about Ana's new job and Tom's surgery": [
        "Ana started a new job as a pilot",
        "Tom's knee surgery went well",
    ],
    "Give me my accountant's name, the tax deadline and what I still owe": [
        "My accountant's name is Pavel Novak",
        "The tax deadline is 31 July",
        "I still owe 640 euros to the tax office",
    ],
    "What's my favourite tea and where do I buy my bread?": [
        "My favourite tea is smoky lapsang",
        "I buy my bread at the mill in Aldgate",
    ],
    "How old is my daughter and which school does she attend?": [
        "My daughter is nine years old",
        "She attends the Rosa Parks school",
    ],
    "What do you remember about my trip to Rome, my hotel there and what I spent?": [
        "The trip to Rome was in April with Lea",
        "The hotel in Rome was the Locarno",
        "In Rome I spent about 900 euros",
    ],
    "What is the deploy schedule; who is on call?": [
        "We deploy on Tuesdays and Thursdays",
        "Priya is on call until the end of the month",
    ],
    "Tell me about my landlord, my rent and the broken heating": [
        "My landlord is Mr. Achterberg",
        "My rent is 1,150 a month",
        "The heating in the bathroom is broken since Sunday",
    ],
    "Which languages do I speak? And what is my major?": [
        "I speak Dutch, English and some Farsi",
        "My major is marine biology",
    ],
    "我的饮食、过敏史和医生的建议是什么？": [
        "我的饮食以素食为主",
        "我的过敏史：对青霉素过敏",
        "医生的建议是每天散步一小时",
    ],
    "告诉我关于房租、水电费以及停车位的事": ["房租每个月三千元", "水电费由房东付", "停车位在地下二层"],
}
ONE = [
    "Do I take salt and pepper on my eggs?",
    "When did Ana and Tom get married?",
    "How far is it between my house and my office?",
    "What did I say about rock and roll?",
    "Where did I stay in Lisbon, Portugal?",
    "What happened on Monday, 3 May 2024?",
    "When did my brother and my sister visit me?",
    "Which came first, the new desk or the brass lamp?",
    "Who runs the bed and breakfast?",
    "What is the name of the black and white cat?",
    "Did the plumber come and fix the sink?",
    "What was I doing when the phone rang and woke me?",
    "Well, actually, what is my shoe size?",
    "Who are my friends and family?",
    "What is the terms and conditions page about?",
    "How do I get from my flat to the station?",
    "Is my flight on the 3rd and the 4th of May?",
    "Does my wife like cheese and wine?",
    "Where does my mother, who lives in Rome, work?",
    "我和妈妈什么时候去的北京？",
    "How is research and development going?",
    "Did my aunt and the neighbours agree on the fence?",
]
OTHERS = [
    "I eat a lot of soup in winter, mostly lentil soup",
    "On weekends I eat fish, and my diet has more salt than it should",
    "My diet got better since I cook at home",
    "I like to eat late",
    "The budget of the office move is with Karin",
    "A party budget needs a margin, we decided years ago",
    "My garden was flooded in spring",
    "The garden shed needs paint",
    "I sold the old kitchen table",
    "My trip to Lisbon was in May",
    "Rome is hot in August, Lea says",
    "The car needs new tyres",
    "My boss likes long meetings",
    "我喜欢喝绿茶",
    "I play chess on Fridays",
    "The library is closed on Mondays",
]
