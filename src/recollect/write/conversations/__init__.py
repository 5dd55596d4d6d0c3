"""How does a conversation become turns and facts?"""
